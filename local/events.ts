import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { LocalClient } from './client.ts';

const NAME = 'local-listener';

export type BusEvent = { type: string; call_id: string; at: string };

/**
 * Listens to an event bus with a rule and a queue that are not part of the deployed stack.
 * @param bus name of the bus. @param show takes each event. @returns a function that stops listening.
 */
export async function listenToEvents(
  client: LocalClient,
  bus: string,
  show: (event: BusEvent) => void,
): Promise<() => Promise<void>> {
  const sqs = new SQSClient(client);
  const bridge = new EventBridgeClient(client);
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: NAME }));
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  await bridge.send(
    new PutRuleCommand({ Name: NAME, EventBusName: bus, EventPattern: JSON.stringify({ source: [{ prefix: '' }] }) }),
  );
  const target = { Id: NAME, Arn: Attributes?.QueueArn, InputPath: '$.detail' };
  await bridge.send(new PutTargetsCommand({ Rule: NAME, EventBusName: bus, Targets: [target] }));

  const ended = new AbortController();
  const listening = (async () => {
    while (!ended.signal.aborted) {
      try {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 5 }),
          { abortSignal: ended.signal },
        );
        for (const { Body } of Messages) show(JSON.parse(Body ?? '{}'));
        const Entries = Messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
        if (Entries.length > 0) await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      } catch {
        // The cloud is stopping or busy. An event that is lost here is missing only in the terminal.
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  })();
  return async () => {
    ended.abort();
    await listening;
    sqs.destroy();
    bridge.destroy();
  };
}
