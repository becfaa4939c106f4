import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { KMSClient } from '@aws-sdk/client-kms';
import {
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { FunctionName } from '../../../lib/functions.ts';
import { names } from '../../../lib/names.ts';
import type { QueueName } from '../../../lib/queues.ts';
import { secondsAhead as secondsAheadOf } from '../../../local/cloud.ts';
import { crmBControl } from '../../../local/simulators/crm-b/control.ts';
import { helpDeskControl } from '../../../local/simulators/help-desk/control.ts';
import { modelControl } from '../../../local/simulators/model/control.ts';
import { voiceControl } from '../../../local/simulators/voice/control.ts';
import type { RecoveryReport } from '../../../shared/operations/calls/recover-calls.ts';
import { marshallOptions } from '../../../shared/runtime/dynamodb.ts';
import { type Counts, totalOf, untilIdle } from './idle.ts';
import { pauseSchedule, resumeSchedule } from './rules.ts';

type Environment = Record<
  'base_url' | 'dashboard_url' | 'emulator_url' | 'region' | 'clock_file' | 'org_id' | 'api_key' | 'assistant_id',
  string
> & {
  emulator_pid: number;
  credentials: { accessKeyId: string; secretAccessKey: string };
  simulators: Record<'voice' | 'crm_b' | 'crm_b_accounts' | 'help_desk' | 'model', string>;
  connections?: { crm_a: { connection_id: string; token: string; owner_id?: string } };
};

export const environmentFile = process.env.CALLING_SERVICE_ENVIRONMENT ?? '';

/** The environment file of the running stack. */
export const environment: Environment = JSON.parse(readFileSync(environmentFile, 'utf8'));

export const named = names('local');

export const client = {
  endpoint: environment.emulator_url,
  region: environment.region,
  credentials: environment.credentials,
};

export const db = DynamoDBDocumentClient.from(new DynamoDBClient(client), { marshallOptions: marshallOptions() });
export const sqs = new SQSClient(client);
export const s3 = new S3Client(client);
export const kms = new KMSClient(client);
export const lambda = new LambdaClient(client);
export const secrets = new SecretsManagerClient(client);
export const scheduler = new SchedulerClient(client);
const eventBridge = new EventBridgeClient(client);

export const crmB = crmBControl(environment.simulators.crm_b);

export const helpDesk = helpDeskControl(environment.simulators.help_desk);

export const model = modelControl(environment.simulators.model);

export const voice = voiceControl(environment.simulators.voice);

/** Ends a live simulated call through its control URL, as the service does. */
export async function hangUpAt(phoneNumber: string): Promise<void> {
  for (const { live, call } of await voice.calls(phoneNumber))
    if (live) await fetch(call.monitor.controlUrl, { method: 'POST', body: '{"type":"end-call"}' });
}

/** Waits until the platform's record of an ended call is complete, some time after the end. */
export const recordIsComplete = (phoneNumber: string) =>
  eventually(
    () => voice.calls(phoneNumber),
    ([first]) => first?.call.status === 'ended' && first.call.analysis !== undefined,
  );

const secondsAhead = (): number => Number(readFileSync(environment.clock_file, 'utf8'));

/** Advances the clock of the service and of the emulator. It never goes back within a run. */
export async function passTime(seconds: number): Promise<void> {
  const ahead = secondsAhead() + seconds;
  // Read and written synchronously, so that concurrent calls add up.
  writeFileSync(`${environment.clock_file}.new`, String(ahead));
  renameSync(`${environment.clock_file}.new`, environment.clock_file);
  const used = await secondsAheadOf(environment.emulator_url);
  if (used < ahead) throw new Error(`the emulator's clock is ${used} s ahead, not ${ahead} s`);
}

/** The service's clock. */
export const now = (): Date => new Date(Date.now() + secondsAhead() * 1000);

/** @returns the service's time so many seconds ago, in ISO 8601. */
export const secondsAgo = (seconds: number): string => new Date(now().getTime() - seconds * 1000).toISOString();

/** Sets a function's environment variables. This restarts its workers, so no work should be under way. */
export async function configure(name: FunctionName, Variables: Record<string, string>): Promise<void> {
  const FunctionName = named.function(name);
  await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
  await eventually(
    () => lambda.send(new GetFunctionConfigurationCommand({ FunctionName })),
    ({ LastUpdateStatus, State }) => LastUpdateStatus === 'Successful' && State === 'Active',
  );
}

export async function variablesOf(name: FunctionName): Promise<Record<string, string>> {
  const { Environment } = await lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName: named.function(name) }),
  );
  return Environment?.Variables ?? {};
}

/** Restarts the workers of a function, which drops their caches. */
export async function freshWorkers(name: FunctionName): Promise<void> {
  await workersAreIdle();
  await configure(name, await variablesOf(name));
}

/** Runs a scheduled function, as its schedule does. @returns its report */
export async function runSchedule<Report>(name: FunctionName): Promise<Report> {
  const answer = await lambda.send(
    new InvokeCommand({
      FunctionName: named.function(name),
      Payload: JSON.stringify({ time: now().toISOString() }),
    }),
  );
  const report = JSON.parse(Buffer.from(answer.Payload ?? []).toString('utf8'));
  if (answer.FunctionError) throw new Error(`${name} failed: ${JSON.stringify(report)}`);
  return report;
}

export const recoverCalls = (): Promise<RecoveryReport> => runSchedule('recover-calls');

const POLL_MS = { first: 50, last: 500 };
const MAX_SHOWN_CHARACTERS = 3_000;

/**
 * Polls with growing intervals, because polling takes CPU time from the workers.
 * @returns the first value of `read` that satisfies `isDone` @throws with the last value after `seconds`
 */
export async function eventually<T>(read: () => Promise<T>, isDone: (value: T) => boolean, seconds = 45): Promise<T> {
  const started = performance.now();
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    const waited = performance.now() - started;
    if (waited > seconds * 1000)
      throw new Error(`not within ${seconds} s; at last: ${JSON.stringify(value)?.slice(0, MAX_SHOWN_CHARACTERS)}`);
    await sleep(Math.min(POLL_MS.last, Math.max(POLL_MS.first, waited / 20)));
  }
}

/** Works on this many items at once. @returns the results, in the order of the items */
export async function concurrently<T, R>(
  atOnce: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const left = [...items.entries()];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) results[next[0]] = await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}

async function countsUnderWay(): Promise<Counts> {
  const answer = await fetch(`${environment.emulator_url}/_ministack/under-way`);
  if (!answer.ok) throw new Error(`the emulator answered ${answer.status}`);
  return (await answer.json()) as Counts;
}

/** The number of changes, messages and invocations under way (local/emulator/under_way.py). */
export const underWay = async (): Promise<number> => totalOf(await countsUnderWay());

/** Waits until no change, message or invocation is under way. Delayed messages do not count. @throws after 300 s */
export const nothingIsUnderWay = (): Promise<void> => untilIdle(countsUnderWay, 300);

/** Waits 0.4 s for messages from outside, and then until the workers are idle. */
export async function workersAreIdle(): Promise<void> {
  await sleep(400);
  await nothingIsUnderWay();
}

/**
 * Passes time in steps. Each step starts when the workers have finished the work of the previous one, however slow the
 * machine is.
 * @param seconds per step, or a function that computes them from the last value
 * @returns the first value of `read` that satisfies `isDone` @throws with the last value after `most` steps
 */
export async function inTime<T>(
  read: () => Promise<T>,
  isDone: (value: T) => boolean,
  { seconds, most }: { seconds: number | ((value: T) => number); most: number },
): Promise<T> {
  for (let step = 0; ; step += 1) {
    await workersAreIdle();
    const value = await read();
    if (isDone(value)) return value;
    if (step === most) throw new Error(`not within ${most} steps; at last: ${JSON.stringify(value)}`);
    await passTime(typeof seconds === 'number' ? seconds : seconds(value));
  }
}

/** Disables the schedule of recover-calls, so that only the test runs it. */
export const pauseRecovery = () => pauseSchedule(eventBridge, 'recover-calls');
export const resumeRecovery = () => resumeSchedule(eventBridge, 'recover-calls');

export const queueUrl = (queue: QueueName): string => `${environment.emulator_url}/000000000000/${named.queue(queue)}`;

/** Counts the dead letters. @param of the name of the queue, or of another source of dead letters */
export async function deadLettersOf(of: string): Promise<number> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: `${environment.emulator_url}/000000000000/${named.deadLetters(of)}`,
      AttributeNames: ['ApproximateNumberOfMessages'],
    }),
  );
  return Number(Attributes?.ApproximateNumberOfMessages);
}

let outputs: Promise<Record<string, string>> | undefined;

async function outputsOfData(): Promise<Record<string, string>> {
  const { Stacks } = await new CloudFormationClient(client).send(
    new DescribeStacksCommand({ StackName: named.stack('data') }),
  );
  return Object.fromEntries((Stacks?.[0]?.Outputs ?? []).map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}

/** Reads a generated name from the outputs of the data stack. */
const generated = async (output: string): Promise<string> => {
  outputs ??= outputsOfData();
  return (await outputs)[output] ?? '';
};

/** The private bucket, whose name is generated. */
export const filesBucket = (): Promise<string> => generated('FilesBucketName');

/** The user pool of the dashboard. */
export const userPool = async () => ({
  poolId: await generated('UserPoolId'),
  clientId: await generated('UserPoolClientId'),
});
