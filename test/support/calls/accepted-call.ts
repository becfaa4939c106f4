import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { isTerminal } from '../../../shared/domain/calls/call-status.ts';
import type { PlatformMessage } from '../../../shared/domain/calls/platform/platform-message.ts';
import { type TestOrg, untilCall } from '../organizations/orgs.ts';
import { aPhoneNumber, placeCall } from '../rest/rest.ts';
import { hangUpAt, queueUrl, secondsAgo, sqs, voice } from '../stack/stack.ts';

export type AcceptedCall = { callId: string; platformId: string };

const made: (AcceptedCall & { phone_number: string })[] = [];

/** Places a call that the platform accepts but sends no messages about. */
export async function anAcceptedCall(org: TestOrg): Promise<AcceptedCall> {
  const phone_number = aPhoneNumber();
  await voice.script(phone_number, { behaviour: 'answer', queueSeconds: 1_000_000 });
  const callId = await placeCall(org, { phone_number });
  const { platform_id: platformId = '' } = await untilCall(callId, ({ platform_id }) => platform_id !== undefined);
  const accepted = { callId, platformId };
  made.push({ ...accepted, phone_number });
  return accepted;
}

/** Queues a platform message, as the webhook does. */
export const queueMessage = (callId: string, message: PlatformMessage) =>
  sqs.send(
    new SendMessageCommand({
      QueueUrl: queueUrl('voice-events'),
      MessageBody: JSON.stringify({ call_id: callId, message }),
    }),
  );

/**
 * Ends the accepted calls, for `afterAll`: live calls occupy slots that the next tests need, and keep the simulator
 * busy.
 */
export async function endAcceptedCalls(): Promise<void> {
  const over = made.splice(0);
  for (const { callId, platformId, phone_number } of over) {
    await hangUpAt(phone_number);
    await queueMessage(callId, {
      kind: 'report',
      platform_id: platformId,
      outcome: 'no_answer',
      reason: 'over',
      ended_at: secondsAgo(0),
    });
  }
  for (const { callId } of over) await untilCall(callId, ({ status }) => isTerminal(status));
}
