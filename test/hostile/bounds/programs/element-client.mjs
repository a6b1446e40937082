// A client of a server whose responses consist of many small elements.

import { connect } from 'mcpp/client';
import { underAttack } from '../measured.mjs';

let connection;
const actions = {
  async open(url) {
    connection = await connect(url);
  },
  async ask(what) {
    try {
      if (what === 'call') await connection.callTool('t');
      else if (what === 'read') await connection.readResource('a:b');
      else await connection.listTools();
      return 'received';
    } catch (error) {
      return error.code;
    }
  },
};
underAttack({ actions });
