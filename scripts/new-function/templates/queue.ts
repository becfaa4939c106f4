import type { Plan } from '../plan.ts';
import { operationImport, type Template, unitTestOf } from '../template.ts';

export const queue = (plan: Plan): Template => {
  const { name, camel, pascal } = plan;
  return {
    folder: 'consumers',
    entry: `
import * as z from 'zod/mini';
import { callWork } from '../../shared/messages/call-work.ts';
${operationImport(plan, '../../')}
import { readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { queueWorker } from '../../shared/runtime/queue-worker.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';

const config = readConfig({ CALLS_TABLE: z.string() });
const deps = { calls: callStore(documentClient(), config.CALLS_TABLE) };

export const handler = queueWorker(callWork, ({ call_id }) => ${camel}(deps, call_id));
`,
    operation: `
type ${pascal}Deps = { calls: { get: (callId: string) => Promise<object | undefined> } };

/** Reads the call of a message. It may run twice for one message. */
export async function ${camel}(deps: ${pascal}Deps, callId: string): Promise<'done' | 'unknown call'> {
  return (await deps.calls.get(callId)) ? 'done' : 'unknown call';
}
`,
    unitTest: unitTestOf(
      plan,
      `
  const calls = { get: async (id: string) => (id === 'call_1' ? {} : undefined) };

  it.each([
    ['call_1', 'done'],
    ['call_2', 'unknown call'],
  ])('ends for %s as %j', async (id, outcome) => {
    expect(await ${camel}({ calls }, id)).toBe(outcome);
  });`,
    ),
    e2eTest: `
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { deadLettersOf, queueUrl, sqs, workersAreIdle } from '../../support/stack/stack.ts';

describe('${name}', () => {
  it('takes the message of an unknown call off its queue', async () => {
    const MessageBody = JSON.stringify({ call_id: 'call_unknown' });
    await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('${name}'), MessageBody }));
    await workersAreIdle();
    expect(await deadLettersOf('${name}')).toBe(0);
  });
});
`,
    row: `
    entry: 'consumers/${name}',
    trigger: worker('${name}', { batchSize: 1, maxConcurrency: 2 }),
    uses: { CALLS_TABLE: table('calls', ['GetItem']) },
    ifItFails: 'Messages wait in their queue; a message that fails 5 times is a dead letter until it is redriven.',`,
    docs: [`queue ${name}, one at a time, 2 at once`, 'reads the call'],
    queueRow: `'${name}': { workerTimeoutSeconds: 30 },`,
  };
};
