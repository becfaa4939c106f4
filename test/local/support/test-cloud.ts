import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type Emulator, moveClock, startEmulator } from '../../../local/cloud.ts';
import { searchLogsOf } from '../../support/logs/cloud-logs.ts';
import { untilNoError } from '../../support/runner/until-no-error.ts';
import { deployStack, type Exports, type Resources } from './stack.ts';

/** Endpoint and credentials of a client, with the rights of root. */
function clientConfig({ url: endpoint, credentials }: Emulator) {
  return { endpoint, region: 'us-east-1', credentials, maxAttempts: 1 };
}

const VARIABLES = ['AWS_ENDPOINT_URL', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;

/** A local cloud of one test file, with clients. */
export class TestCloud {
  readonly emulator: Emulator;
  readonly config: ReturnType<typeof clientConfig>;
  readonly cloudFormation: CloudFormationClient;
  readonly dynamodb: DynamoDBClient;
  readonly events: EventBridgeClient;
  readonly lambda: LambdaClient;
  readonly scheduler: SchedulerClient;
  readonly sqs: SQSClient;
  readonly #folder: string;

  private constructor(emulator: Emulator, folder: string) {
    this.emulator = emulator;
    this.#folder = folder;
    this.config = clientConfig(emulator);
    this.cloudFormation = new CloudFormationClient(this.config);
    this.dynamodb = new DynamoDBClient(this.config);
    this.events = new EventBridgeClient(this.config);
    this.lambda = new LambdaClient(this.config);
    this.scheduler = new SchedulerClient(this.config);
    this.sqs = new SQSClient(this.config);
  }

  static async start(options: { hasIdleWorkers?: boolean; workersAtOnce?: number } = {}): Promise<TestCloud> {
    const folder = await mkdtemp(join(tmpdir(), 'local-cloud-'));
    const emulator = await startEmulator({ ...options, folder, environment: { RECORDS: folder }, log: () => {} });
    return new TestCloud(emulator, folder);
  }

  /** Starts a cloud that clients without settings use until it stops: the test files share their environment. */
  static async startAsDefault(): Promise<TestCloud> {
    const cloud = await TestCloud.start();
    const { endpoint, credentials } = cloud.config;
    const values = [endpoint, credentials.accessKeyId, credentials.secretAccessKey];
    for (const [index, name] of VARIABLES.entries()) process.env[name] = values[index];
    return cloud;
  }

  /** @throws Error if a log of this cloud reveals a person or a secret */
  async stop(): Promise<void> {
    if (process.env.AWS_ENDPOINT_URL === this.config.endpoint) for (const name of VARIABLES) delete process.env[name];
    try {
      await searchLogsOf(this.config, [this.emulator.credentials.secretAccessKey]);
    } finally {
      await this.emulator.stop();
      await rm(this.#folder, { recursive: true, force: true });
    }
  }

  /** Creates or updates a stack and returns the value of `Ref` of each of its resources. */
  deploy(stack: string, resources: Resources, exports: Exports = {}): Promise<Record<string, string>> {
    return deployStack(this.cloudFormation, stack, resources, exports);
  }

  /** Gives a client the role of a function whose code is CREDENTIALS. */
  async configOf(functionName: string) {
    const { Payload } = await this.lambda.send(new InvokeCommand({ FunctionName: functionName }));
    const [accessKeyId, secretAccessKey, sessionToken] = JSON.parse(Buffer.from(Payload ?? []).toString());
    return { ...this.config, credentials: { accessKeyId, secretAccessKey, sessionToken } };
  }

  moveClock(seconds: number): Promise<void> {
    return moveClock(this.emulator, seconds);
  }

  /** Continues the functions that wait for this. */
  async release(name: string): Promise<void> {
    await writeFile(join(this.#folder, `released-${name}`), '');
  }

  /** Lists the values that the function has passed to `record`. */
  async records(functionName: string): Promise<unknown[]> {
    const text = await readFile(join(this.#folder, functionName), 'utf8').catch(() => '');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  }

  /** Waits until the function has passed exactly these values to `record`. */
  untilRecorded(functionName: string, values: readonly unknown[]): Promise<void> {
    return untilNoError(async () => expect(await this.records(functionName)).toEqual(values));
  }

  /** Receives messages of a queue without deleting them, waiting up to `seconds` for the first one. */
  async receive(queueUrl: string, seconds = 20): Promise<string[]> {
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      WaitTimeSeconds: seconds,
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 3600,
    });
    const { Messages = [] } = await this.sqs.send(command);
    return Messages.map((message) => message.Body ?? '');
  }

  async send(queueUrl: string, body: string, delaySeconds = 0): Promise<void> {
    await this.sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, DelaySeconds: delaySeconds }));
  }
}
