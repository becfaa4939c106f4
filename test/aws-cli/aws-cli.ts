import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { AWS_CLI } from '../../local/python-environment.mjs';
import { installTool } from '../support/runner/python-tool.ts';

const PROGRAM = fileURLToPath(new URL('run.py', import.meta.url));
/** Long enough for a busy machine. */
const MILLISECONDS = 5 * 60_000;

/** The exit code of each command, and what it printed. */
const endsSchema = z.array(z.object({ code: z.number(), output: z.string() }));

/**
 * Runs commands of the AWS CLI, which checks their flags and values by AWS's models before it sends a request.
 * @param commands the words after `aws` @param url receives the requests
 * @returns undefined if the AWS CLI cannot be downloaded here, except in CI
 */
export async function runAws(
  commands: readonly string[][],
  url: string,
): Promise<z.infer<typeof endsSchema> | undefined> {
  const python = await installTool(AWS_CLI, 'The AWS commands of the documents are not run');
  if (!python) return undefined;
  const env = {
    PATH: process.env.PATH,
    AWS_ENDPOINT_URL: url,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'ap-south-1',
    AWS_DEFAULT_REGION: 'ap-south-1',
    AWS_MAX_ATTEMPTS: '1',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_PAGER: '',
  };
  const child = spawn(python, [PROGRAM], { env, stdio: ['pipe', 'pipe', 'pipe'], timeout: MILLISECONDS });
  child.stdin.end(JSON.stringify(commands));
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new Error(`the AWS CLI did not run: ${errors}`);
  return endsSchema.parse(JSON.parse(output));
}
