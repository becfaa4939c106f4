import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentFile } from './stack.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export type Ran = { code: number | null; stdout: string; stderr: string };

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape; the tests say what is in them.
export type Body = any;

/** Runs the operator's CLI as a shell does, with the running stack as its local cloud. */
export const cli = (...args: string[]): Promise<Ran> => cliWith({}, ...args);

/** @param environment variables that are added to those of the test. */
export const cliWith = (environment: Record<string, string>, ...args: string[]): Promise<Ran> => run(args, environment);

/** @param input what comes on standard input. */
export const cliFed = (input: string, ...args: string[]): Promise<Ran> => run(args, {}, input);

async function run(args: string[], environment: Record<string, string>, input?: string): Promise<Ran> {
  const child = spawn(process.execPath, ['bin/admin.ts', ...args], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...process.env,
      CALLING_SERVICE_ENVIRONMENT: environmentFile,
      // Compiled once for all runs: many of them, on few cores.
      NODE_COMPILE_CACHE: join(dirname(environmentFile), 'compiled'),
      ...environment,
    },
  });
  child.stdin.on('error', () => undefined).end(input ?? '');
  const read = async (stream: NodeJS.ReadableStream) => {
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) text += chunk;
    return text;
  };
  const [stdout, stderr, [code]] = await Promise.all([read(child.stdout), read(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

/** Runs a command with --json. Everything on standard output must be one JSON document. */
export async function ask(...args: string[]): Promise<{ code: number | null; body: Body }> {
  const { code, stdout, stderr } = await cli(...args, '--json');
  try {
    return { code, body: JSON.parse(stdout) };
  } catch {
    throw new Error(`${args.join(' ')} ended with ${code} and wrote no JSON:\n${stdout}\n${stderr}`);
  }
}

/** @returns what a command answers that must succeed. */
export async function done(...args: string[]): Promise<Body> {
  const { code, body } = await ask(...args);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${JSON.stringify(body)}`);
  return body;
}

/** @returns what a command answers that must be refused. */
export async function refused(...args: string[]): Promise<Body> {
  const { code, body } = await ask(...args);
  expect([args, code]).toEqual([args, 1]);
  expect(body).toMatchObject({ error: expect.any(String), message: expect.stringMatching(/\S/) });
  return body;
}

/** @returns the code of each refusal. Some run at a time: the machine has few cores. */
export async function refusals(commands: readonly string[][]): Promise<string[]> {
  const codes: string[] = [];
  for (let start = 0; start < commands.length; start += 4) {
    const answers = await Promise.all(commands.slice(start, start + 4).map((args) => refused(...args)));
    codes.push(...answers.map(({ error }) => error));
  }
  return codes;
}
