// A client that lists what a server has, and keeps what it was given.

import { connect } from 'mcpp/client';
import { underAttack } from '../measured.mjs';

const errors = [];
const kept = [];
let connection;
const actions = {
  async open(url) {
    connection = await connect(url, { onError: (error) => errors.push(error.message), revision: '2025-06-18' });
  },
  async list(what) {
    try {
      const list = await connection[what]();
      kept.push(list);
      return 'complete';
    } catch (error) {
      kept.push(error.partial);
      return error.code;
    }
  },
  errors: () => errors,
};
underAttack({ actions });
