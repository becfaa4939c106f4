import { Readable, Writable } from 'node:stream';
import { runAdmin, type Surroundings } from '../../../bin/admin/run.ts';
import { noteCommand } from './seen-commands.ts';

export type Ran = { code: number | null; stdout: string; stderr: string };

/** The content of standard input. */
export type Input = string | AsyncIterable<Buffer>;

/** Collects the texts that are written to it. */
function collector() {
  const chunks: string[] = [];
  const stream = new Writable({
    write: (chunk, _, done) => {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}

type Options = Partial<Pick<Surroundings, 'cloud' | 'environment'>> & { input?: Input };

/** Runs a command of the operators' CLI in this process. */
export async function runCollected(args: readonly string[], options: Options = {}): Promise<Ran> {
  const { input = '', environment = {}, cloud } = options;
  const [stdout, stderr] = [collector(), collector()];
  const code = await runAdmin(args, {
    stdin: Readable.from(typeof input === 'string' ? [input] : input),
    stdout: stdout.stream,
    stderr: stderr.stream,
    environment,
    ...(cloud && { cloud }),
  });
  noteCommand(args, code);
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}
