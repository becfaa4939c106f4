import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { KMSClient } from '@aws-sdk/client-kms';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { names } from '../../lib/names.ts';
import type { QueueName } from '../../lib/queues.ts';
import { voiceControl } from '../../local/simulators/voice/control.ts';
import type { RecoveryReport } from '../../shared/operations/recover-calls.ts';

const environmentSchema = z.object({
  base_url: z.url(),
  emulator_url: z.url(),
  region: z.string(),
  clock_file: z.string(),
  emulator_pid: z.number(),
  org_id: z.string(),
  api_key: z.string(),
  assistant_id: z.string(),
  simulators: z.object({ voice: z.url() }),
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
export const eventBridge = new EventBridgeClient(client);

/** The voice platform's simulator. */
export const voice = voiceControl(environment.simulators.voice);

let ahead = 0;

/** Moves the product's and the emulator's clock on. It only ever goes forward within a run. */
export async function passTime(seconds: number): Promise<void> {
  ahead = Number(readFileSync(environment.clock_file, 'utf8')) + seconds;
  writeFileSync(`${environment.clock_file}.new`, String(ahead));
  renameSync(`${environment.clock_file}.new`, environment.clock_file);
  // The emulator looks at the file every 0.1 s.
  await new Promise((resolve) => setTimeout(resolve, 250));
}

/** The product's clock. */
export const now = (): Date => new Date(Date.now() + Number(readFileSync(environment.clock_file, 'utf8')) * 1000);

/** Runs the scheduled function as its schedule does. */
export async function recoverCalls(): Promise<RecoveryReport> {
  const answer = await lambda.send(
    new InvokeCommand({
      FunctionName: named.function('recover-calls'),
      Payload: JSON.stringify({ time: now().toISOString() }),
    }),
  );
  const report = JSON.parse(Buffer.from(answer.Payload ?? []).toString('utf8'));
  if (answer.FunctionError) throw new Error(`recover-calls failed: ${JSON.stringify(report)}`);
  return report;
}

/** @returns what `read` gives as soon as `isDone` holds of it. @throws with the last value after `seconds`. */
export async function eventually<T>(read: () => Promise<T>, isDone: (value: T) => boolean, seconds = 15): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const value = await read();
    if (isDone(value)) return value;
    if (performance.now() > end) throw new Error(`not within ${seconds} s; at last: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

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
