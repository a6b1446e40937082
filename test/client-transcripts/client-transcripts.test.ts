import { test } from 'vitest';
import type { SchemaRevision } from '../oracle/definitions.ts';
import { type Conversation, conversations } from './parse.ts';
import { play } from './play.ts';

type Case = [title: string, conversation: Conversation, revision: SchemaRevision];

const cases = conversations().flatMap((conversation) =>
  conversation.revisions.map(
    (revision): Case => [`${conversation.file}: ${conversation.title} [${revision}]`, conversation, revision],
  ),
);

test.each(cases)('%s', (_title, conversation, revision) => play(conversation, revision));
