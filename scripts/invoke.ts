import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { type LocalCloud, readLocalCloud } from '../bin/admin/cloud/environment.ts';
import { Refusal } from '../bin/admin/failures.ts';
import { type FunctionName, functionNames, functionRow } from '../lib/functions.ts';
import { names } from '../lib/names.ts';
import { lambdaEvent } from './invoke/event.ts';

/**
 * `npm run invoke -- NAME EVENT_FILE [--inspect [--port N]]`
 *
 * Runs one function's source on this machine against the running local cloud (`npm start`), with the settings of the
 * deployed function. `--inspect` waits for a debugger first.
 *
 * The function runs with the rights of the account, not with those of its role.
 */
const root = fileURLToPath(new URL('..', import.meta.url));

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(2);
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { inspect: { type: 'boolean', default: false }, port: { type: 'string', default: '9229' } },
  });
  const [wanted, eventFile] = positionals;
  const name = functionNames.find((known) => known === wanted);
  if (!name || !eventFile)
    fail(`npm run invoke -- NAME EVENT_FILE [--inspect [--port N]]; the functions are ${functionNames.join(', ')}.`);
  return { name, eventFile, flags: values.inspect ? [`--inspect-brk=127.0.0.1:${values.port}`] : [] };
}

function localCloud(): LocalCloud {
  try {
    const running = readLocalCloud(process.env);
    return running ?? fail('No local cloud is running: run npm start in another terminal, then try again.');
  } catch (error) {
    if (error instanceof Refusal) fail(error.message);
    throw error;
  }
}

async function environmentOf(name: FunctionName, { emulator_url, region, credentials, clock_file }: LocalCloud) {
  const lambda = new LambdaClient({ endpoint: emulator_url, region, credentials });
  const FunctionName = names('local').function(name);
  const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  return {
    AWS_ENDPOINT_URL: emulator_url,
    ...(clock_file && { CLOCK_FILE: clock_file }),
    ...Environment?.Variables,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_LAMBDA_FUNCTION_NAME: FunctionName,
  };
}

const { name, eventFile, flags } = readArguments();
const { entry, trigger } = functionRow(name);
const environment = await environmentOf(name, localCloud());
const folder = mkdtempSync(join(tmpdir(), 'calling-service-invoke-'));
try {
  const event = join(folder, 'event.json');
  writeFileSync(event, JSON.stringify(lambdaEvent(trigger, JSON.parse(readFileSync(eventFile, 'utf8')))));
  const args = [...flags, join(root, 'scripts/invoke/worker.ts'), join(root, `functions/${entry}.ts`), event];
  const env = { PATH: process.env.PATH, ...environment };
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
