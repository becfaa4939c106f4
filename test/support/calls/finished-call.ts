import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { Callback } from '../../../shared/domain/after-call/callbacks/callback.ts';
import type { Call } from '../../../shared/domain/calls/call.ts';
import { isTerminal } from '../../../shared/domain/calls/call-status.ts';
import { callIdFor, newEventId } from '../../../shared/domain/ids.ts';
import { callItem } from '../../../shared/stores/calls/call-item.ts';
import type { CrmBConnection } from '../connections/crm-b.ts';
import { stores, type TestOrg } from '../organizations/orgs.ts';
import { aPhoneNumber } from '../rest/rest.ts';
import { db, named, now, queueUrl, secondsAgo, sqs } from '../stack/stack.ts';

export const AUDIO = Buffer.from('RIFF0000WAVE, and what was said');

/** Stores a recording of a call. */
export async function aRecording(file: Pick<Call, 'org_id' | 'call_id'>): Promise<NonNullable<Call['recording']>> {
  const audio = { body: Readable.from([AUDIO]), contentType: 'audio/wav', contentLength: AUDIO.length };
  return { state: 'stored', key: await stores.files.putRecording(file, audio, AUDIO.length) };
}

/** Stores an ended call of a CRM-B lead, with a transcript and a recording unless given. */
export async function anEndedCall(
  { org, connectionId }: Pick<CrmBConnection, 'org' | 'connectionId'>,
  leadId: string,
  over: Partial<Call> = {},
): Promise<Call> {
  const call_id = over.call_id ?? callIdFor(org.orgId, randomUUID());
  const file = { org_id: org.orgId, call_id };
  const created_at = secondsAgo(200);
  const call: Call = {
    ...file,
    request_id: call_id,
    status: 'completed',
    phone_number: aPhoneNumber(),
    assistant_id: org.assistantId,
    assistant_name: 'Asha',
    request_metadata: {},
    created_at,
    progress_at: now().toISOString(),
    unfinished: 'ended',
    rate: 1000,
    max_duration_seconds: 600,
    held: 0,
    dial_by: secondsAgo(-600),
    dial_after: created_at,
    attempts: 1,
    started_at: secondsAgo(130),
    ended_at: secondsAgo(5),
    duration: 125,
    cost: 0,
    ...(!('transcript_key' in over) && {
      transcript_key: await stores.files.putTranscript(file, 'Asha: Namaste.'),
    }),
    recording: over.recording ?? (await aRecording(file)),
    lead: {
      crm: 'crm-b',
      connection_id: connectionId,
      lead_id: leadId,
      event_id: newEventId(now()),
      event: 'new_lead',
      test: false,
      fields: {},
    },
    crm_b_sync: 'pending',
    ...over,
  };
  await storeWithEvents(call);
  return call;
}

/**
 * Stores an ended call in two writes, while it is live and at its end: publish-call-events publishes no events of a
 * call that is created after its end. A call with a callback URL is stored without events, so that its client gets only
 * the notifications of the test.
 */
async function storeWithEvents(call: Call): Promise<void> {
  if (!isTerminal(call.status) || call.callback_url !== undefined) {
    await stores.transact({ call: stores.calls.creation(call) });
    return;
  }
  const untilItsEnd = Object.entries(call).filter(([name]) => !/^(ended|finished|analyzed)_/.test(name));
  const live: Call = { ...(Object.fromEntries(untilItsEnd) as Call), status: 'in_progress', unfinished: 'claimed' };
  await stores.transact({ call: stores.calls.creation(live) });
  await db.send(new PutCommand({ TableName: named.table('calls'), Item: callItem(call) }));
}

/**
 * Stores a finished REST call of this organization.
 * @param said the transcript; undefined for none
 */
export async function aFinishedCall(org: TestOrg, said?: string, over: Partial<Call> = {}): Promise<Call> {
  const call_id = over.call_id ?? callIdFor(org.orgId, randomUUID());
  const file = { org_id: org.orgId, call_id };
  return anEndedCall({ org, connectionId: '' }, '', {
    call_id,
    transcript_key: said === undefined ? undefined : await stores.files.putTranscript(file, said),
    recording: { state: 'none' },
    lead: undefined,
    crm_b_sync: undefined,
    unfinished: undefined,
    finished_at: secondsAgo(1),
    ...over,
  });
}

/** Returns a notification of the end of a call, which the service has given up. */
export const aNotification = ({ call_id, org_id, callback_url: url = 'https://client.example' }: Call): Callback => ({
  call_id,
  webhook_id: `${call_id}_call_completed`,
  org_id,
  type: 'call.completed',
  url,
  body: '{"type":"call.completed","data":{"id":"as it was"}}',
  created_at: secondsAgo(90_000),
  attempts: [{ at: secondsAgo(90_000), status_code: 500 }],
  state: 'failed',
  expires_at: 4_000_000_000,
});

/** Queues a call for sync-crm-b, as its event does. */
export const queueSync = (call_id: string) =>
  sqs.send(new SendMessageCommand({ QueueUrl: queueUrl('crm-b-sync'), MessageBody: JSON.stringify({ call_id }) }));
