import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/**
 * Runs a function's handler once, with the environment of the deployed function: worker.ts ENTRY EVENT_FILE
 *
 * Separate from invoke.ts, so that a debugger sees only the function.
 */
const SECONDS = 900;

const [entry = '', eventFile = ''] = process.argv.slice(2);
const { handler } = await import(pathToFileURL(entry).href);
const ends = Date.now() + SECONDS * 1000;
const context = {
  awsRequestId: 'invoke',
  functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
  getRemainingTimeInMillis: () => ends - Date.now(),
};
console.log(JSON.stringify(await handler(JSON.parse(readFileSync(eventFile, 'utf8')), context), undefined, 2));
