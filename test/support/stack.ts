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
import { z } from 'zod';
import type { FunctionName } from '../../lib/functions.ts';
import { names } from '../../lib/names.ts';
import type { QueueName } from '../../lib/queues.ts';
import { crmBControl } from '../../local/simulators/crm-b/control.ts';
import { helpDeskControl } from '../../local/simulators/help-desk/control.ts';
import { modelControl } from '../../local/simulators/model/control.ts';
import { voiceControl } from '../../local/simulators/voice/control.ts';
import type { RecoveryReport } from '../../shared/operations/calls/recover-calls.ts';
import { pauseSchedule, resumeSchedule } from './rules.ts';

const environmentSchema = z.object({
  base_url: z.url(),
  emulator_url: z.url(),
  region: z.string(),
  clock_file: z.string(),
  emulator_pid: z.number(),
  org_id: z.string(),
  api_key: z.string(),
  assistant_id: z.string(),
  simulators: z.object({
    voice: z.url(),
    crm_b: z.url(),
    crm_b_accounts: z.url(),
    help_desk: z.url(),
    model: z.url(),
  }),
  connections: z
    .object({ crm_a: z.object({ connection_id: z.string(), token: z.string(), owner_id: z.string().optional() }) })
    .optional(),
});

export const environmentFile = process.env.CALLING_SERVICE_ENVIRONMENT ?? '';

/** The running stack that the suites test: what `npm start` wrote about it. */
export const environment = environmentSchema.parse(JSON.parse(readFileSync(environmentFile, 'utf8')));

export const named = names('local');

export const client = {
  endpoint: environment.emulator_url,
  region: environment.region,
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
};

export const db = DynamoDBDocumentClient.from(new DynamoDBClient(client), {
  marshallOptions: { removeUndefinedValues: true },
});
export const sqs = new SQSClient(client);
export const s3 = new S3Client(client);
export const kms = new KMSClient(client);
export const lambda = new LambdaClient(client);
export const secrets = new SecretsManagerClient(client);
export const scheduler = new SchedulerClient(client);
const eventBridge = new EventBridgeClient(client);

/** CRM-B's simulator. */
export const crmB = crmBControl(environment.simulators.crm_b);

/** The help desk's simulator; CRM-B's gives its grants. */
export const helpDesk = helpDeskControl(environment.simulators.help_desk);

/** The language model's simulator. */
export const model = modelControl(environment.simulators.model);

/** The voice platform's simulator. */
export const voice = voiceControl(environment.simulators.voice);

/** Ends a simulated call, ringing or under way, as its control URL does for the service. */
export async function hangUpAt(phoneNumber: string): Promise<void> {
  for (const { live, call } of await voice.calls(phoneNumber))
    if (live) await fetch(call.monitor.controlUrl, { method: 'POST', body: '{"type":"end-call"}' });
}

/** Waits until the platform's record of a call that has ended is complete: some time after the end itself. */
export const recordIsComplete = (phoneNumber: string) =>
  eventually(
    () => voice.calls(phoneNumber),
    ([first]) => first?.call.status === 'ended' && first.call.analysis !== undefined,
  );

/** Moves the product's and the emulator's clock on. It only ever goes forward within a run. */
export async function passTime(seconds: number): Promise<void> {
  const ahead = Number(readFileSync(environment.clock_file, 'utf8')) + seconds;
  writeFileSync(`${environment.clock_file}.new`, String(ahead));
  renameSync(`${environment.clock_file}.new`, environment.clock_file);
  // The emulator looks at the file every 0.1 s, and dates its answers, to the second, by its clock.
  await sleep(250);
  await eventually(
    async () => {
      const asked = Date.now();
      const { headers } = await fetch(`${environment.emulator_url}/_ministack/health`);
      return (Date.parse(headers.get('date') ?? '') - asked) / 1000;
    },
    (isAhead) => isAhead > ahead - 1.5,
  );
}

/** The product's clock. */
export const now = (): Date => new Date(Date.now() + Number(readFileSync(environment.clock_file, 'utf8')) * 1000);

/** Gives a function its environment variables, which ends its workers: nothing should be under way. */
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

/** Ends the workers of a function with all that they have kept. */
export async function freshWorkers(name: FunctionName): Promise<void> {
  await workersAreIdle();
  await configure(name, await variablesOf(name));
}

/** Runs a scheduled function as its schedule does. @returns its report. */
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

const LOOK_AGAIN_MS = { first: 50, last: 500 };
const MOST_TOLD = 3_000;

/**
 * Looks the less often the longer it has waited: what many looks at much cost, the workers lack.
 * @returns what `read` gives as soon as `isDone` holds of it. @throws with the last value after `seconds`.
 */
export async function eventually<T>(read: () => Promise<T>, isDone: (value: T) => boolean, seconds = 45): Promise<T> {
  const started = performance.now();
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    const waited = performance.now() - started;
    if (waited > seconds * 1000)
      throw new Error(`not within ${seconds} s; at last: ${JSON.stringify(value)?.slice(0, MOST_TOLD)}`);
    await sleep(Math.min(LOOK_AGAIN_MS.last, Math.max(LOOK_AGAIN_MS.first, waited / 20)));
  }
}

const QUIET_LOOKS = 2;
const LOOKS_APART_MS = 30;

/** How much the emulator has to do by itself at this moment (local/emulator/under_way.py). */
export async function underWay(): Promise<number> {
  const answer = await fetch(`${environment.emulator_url}/_ministack/under-way`);
  if (!answer.ok) throw new Error(`the emulator answered ${answer.status}`);
  const counts = (await answer.json()) as Record<string, number>;
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Waits until no change, message or invocation is under way. What waits for time to pass does not count. */
export async function nothingIsUnderWay(seconds = 300): Promise<void> {
  const end = performance.now() + seconds * 1000;
  for (let quiet = 0; quiet < QUIET_LOOKS && performance.now() < end; ) {
    quiet = (await underWay()) === 0 ? quiet + 1 : 0;
    await sleep(LOOKS_APART_MS);
  }
}

/** Gives the workers time: half a second for what others are about to tell them, and then until they are done. */
export async function workersAreIdle(): Promise<void> {
  await sleep(400);
  await nothingIsUnderWay();
}

/**
 * Lets time pass in steps, for what happens only in time: each step begins when the workers have done what the one before
 * made due, however slow the machine is.
 * @param seconds of a step, by what was read. @returns what `read` gives as soon as `isDone` holds of it.
 * @throws with the last value after `most` steps.
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

/** Keeps the schedule from running recover-calls: what runs by itself would come on top of what a test runs. */
export const pauseRecovery = () => pauseSchedule(eventBridge, 'recover-calls');
export const resumeRecovery = () => resumeSchedule(eventBridge, 'recover-calls');

export const queueUrl = (queue: QueueName): string => `${environment.emulator_url}/000000000000/${named.queue(queue)}`;

/** @param of a queue, or what else has dead letters. @returns how many lie there. */
export async function deadLettersOf(of: string): Promise<number> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: `${environment.emulator_url}/000000000000/${named.deadLetters(of)}`,
      AttributeNames: ['ApproximateNumberOfMessages'],
    }),
  );
  return Number(Attributes?.ApproximateNumberOfMessages);
}

let bucket: string | undefined;

/** The private bucket: its name is generated. */
export async function filesBucket(): Promise<string> {
  if (!bucket) {
    const { Stacks } = await new CloudFormationClient(client).send(
      new DescribeStacksCommand({ StackName: named.stack('data') }),
    );
    bucket = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'FilesBucketName')?.OutputValue ?? '';
  }
  return bucket;
}
