import { InvokeCommand } from '@aws-sdk/client-lambda';
import { type FunctionName, functionNames, functionRow } from '../../../lib/functions.ts';
import { Refusal } from '../failures.ts';
import type { Cloud } from './cloud.ts';

/** Allowance for the cold start and the network, beyond the function's own time-out. */
const MARGIN_SECONDS = 30;

export const scheduledFunctions = functionNames.filter((name) => functionRow(name).trigger.kind === 'schedule');

/** Runs a scheduled function and waits. @returns its report. @throws Refusal function_failed. */
export async function runScheduled(cloud: Cloud, name: FunctionName, time: string): Promise<object> {
  const seconds = (functionRow(name).timeoutSeconds ?? 0) + MARGIN_SECONDS;
  const { FunctionError, Payload } = await cloud
    .invocationClient(seconds)
    .send(new InvokeCommand({ FunctionName: cloud.named.function(name), Payload: JSON.stringify({ time }) }));
  const answer = readPayload(Payload);
  if (FunctionError)
    throw new Refusal(
      'function_failed',
      `${name} failed: ${answer.errorMessage ?? FunctionError}. Its log group: /aws/lambda/${cloud.named.function(name)}`,
    );
  return answer;
}

function readPayload(payload: Uint8Array | undefined): { errorMessage?: string } {
  const content = Buffer.from(payload ?? []).toString('utf8');
  const read: unknown = content === '' ? {} : JSON.parse(content);
  return typeof read === 'object' && read !== null ? read : {};
}
