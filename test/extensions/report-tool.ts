/** The handler of a tool as anybody would write it: it knows nothing of tasks. */

import { type Context, ToolError } from 'mcpp/server';
import { z } from 'zod';

const person = z.object({ name: z.string() });

export interface Report {
  title: string;
  pages: number;
  author: string;
  reader: string;
}

export async function writeReport(args: { title: string; fails: boolean }, ctx: Context): Promise<Report> {
  const { title, fails } = args;
  ctx.reportProgress(1, 2, 'Asking');
  const [author, reader] = await Promise.all([ctx.elicit('Who writes?', person), ctx.elicit('Who reads?', person)]);
  if (author.action !== 'accept' || reader.action !== 'accept') throw new ToolError('Nobody to write for');
  const pages = await ctx.step('write', () => title.length);
  if (fails) throw new ToolError('Out of paper');
  ctx.reportProgress(2, 2, 'Written');
  return { title, pages, author: author.content.name, reader: reader.content.name };
}
