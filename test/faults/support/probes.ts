import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { QueueName } from '../../../lib/queues.ts';
import type { Script } from '../../../local/simulators/voice/scripts.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { callIdFor } from '../../../shared/domain/ids.ts';
import { anOrg, stores, type TestOrg } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, postCallUntilTaken } from '../../support/rest/rest.ts';
import { queueUrl, sqs, voice } from '../../support/stack/stack.ts';

export const CREDITS = 10_000;

/** A call whose promises are checked. */
export type Probe = { org: TestOrg; phone: string; callId: string };

/** A call placed by REST, whose id is known in advance. */
export type RestProbe = Probe & {
  body: { phone_number: string; assistant_id: string; idempotency_key: string; callback_url?: string };
};

export async function aProbe(settings: { script?: Script; callbackUrl?: string } = {}): Promise<RestProbe> {
  const org = await anOrg({ credits: CREDITS });
  const probe = anotherProbe(org, settings.callbackUrl);
  if (settings.script) await voice.script(probe.phone, settings.script);
  return probe;
}

/** Another call of the same organization. */
export function anotherProbe(org: TestOrg, callbackUrl?: string): RestProbe {
  const phone = aPhoneNumber();
  const body = {
    phone_number: phone,
    assistant_id: org.assistantId,
    idempotency_key: phone,
    ...(callbackUrl && { callback_url: callbackUrl }),
  };
  return { org, phone, body, callId: callIdFor(org.orgId, body.idempotency_key) };
}

export async function place({ org, body }: RestProbe): Promise<void> {
  const answers = await postCallUntilTaken(org, body);
  const answer = answers.at(-1) ?? answers[0];
  if (answer.status !== 202) throw new Error(`not placed: ${answer.status} ${JSON.stringify(answer.body)}`);
}

export async function send(queue: QueueName, message: object): Promise<void> {
  await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl(queue), MessageBody: JSON.stringify(message) }));
}

export const callOf = ({ callId }: Probe): Promise<Call | undefined> => stores.calls.get(callId);
