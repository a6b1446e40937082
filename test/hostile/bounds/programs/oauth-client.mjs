// A client that signs in wherever an MCP server leads it.

import { oauth } from 'mcpp/auth/client';
import { connect } from 'mcpp/client';
import { underAttack } from '../measured.mjs';

async function connectTo(url) {
  const redirectUri = 'https://client.example/callback';
  const auth = oauth({ redirectUri, authorize: async () => undefined });
  try {
    const connection = await connect(url, { auth });
    await connection.close();
    return {};
  } catch (error) {
    const causes = [];
    for (let one = error; one; one = one.cause) causes.push(one);
    const { code, message, trace = [] } = causes.find(({ name }) => name === 'AuthError') ?? error;
    return { code, message, steps: trace.length };
  }
}

underAttack({ actions: { connectTo } });
