import { openCloud } from '../../../bin/admin/cloud/cloud.ts';
import { environmentFile } from '../stack/stack.ts';
import { type Ran, runCollected } from './admin.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape; each test states its shape.
export type Body = any;

type Answer = { code: number | null; body: Body };

const cloud = openCloud({}, { CALLING_SERVICE_ENVIRONMENT: environmentFile });

/** Runs a command of the operators' CLI in this process, on the running stack. */
export const cli = (...args: string[]): Promise<Ran> => runCollected(args, { cloud });

/** @param input the content of standard input. */
export const cliFed = (input: string, ...args: string[]): Promise<Ran> => runCollected(args, { cloud, input });

/** @returns the exit code and the answer of a run with --json, whose output must be one JSON document. */
export function answerOf({ code, stdout, stderr }: Ran): Answer {
  try {
    return { code, body: JSON.parse(stdout) };
  } catch {
    throw new Error(`no JSON, exit code ${code}:\n${stdout}\n${stderr}`);
  }
}

export const ask = async (...args: string[]): Promise<Answer> => answerOf(await cli(...args, '--json'));

/** @returns the answer of a command that must succeed. */
export async function done(...args: string[]): Promise<Body> {
  const { code, body } = await ask(...args);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${JSON.stringify(body)}`);
  return body;
}

/** @returns the answer of a command that must be refused. */
export async function refused(...args: string[]): Promise<Body> {
  const { code, body } = await ask(...args);
  expect([args, code]).toEqual([args, 1]);
  expect(body).toMatchObject({ error: expect.any(String), message: expect.stringMatching(/\S/) });
  return body;
}

/** @returns the error code of each command, all of which must be refused. */
export const refusals = async (commands: readonly string[][]): Promise<string[]> =>
  (await Promise.all(commands.map((args) => refused(...args)))).map(({ error }) => error);
