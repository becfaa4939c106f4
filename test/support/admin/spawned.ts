import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compiledCode } from '../../../local/process.ts';
import { environmentFile } from '../stack/stack.ts';
import type { Ran } from './admin.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Runs a program as an operator's shell does, with the running stack as its local cloud. */
export async function spawned(
  [command = '', ...args]: string[],
  { input = '', variables = {} }: { input?: string; variables?: Record<string, string> } = {},
): Promise<Ran> {
  const child = spawn(command, args, {
    cwd: root,
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: compiledCode,
      CALLING_SERVICE_ENVIRONMENT: environmentFile,
      ...variables,
    },
  });
  child.stdin.on('error', () => undefined).end(input);
  const read = async (stream: NodeJS.ReadableStream) => {
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) text += chunk;
    return text;
  };
  const [stdout, stderr, [code]] = await Promise.all([read(child.stdout), read(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}
