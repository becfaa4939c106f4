import { setTimeout as sleep } from 'node:timers/promises';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Script } from '../../../local/simulators/voice/scripts.ts';
import { aFinishedCall } from '../../support/calls/finished-call.ts';
import { anOrg, changeOrg, expectBalancedBooks, stores, type TestOrg } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, placeCall, readCall } from '../../support/rest/rest.ts';
import {
  db,
  eventually,
  hangUpAt,
  named,
  passTime,
  recordIsComplete,
  recoverCalls,
  secondsAgo,
  voice,
  workersAreIdle,
} from '../../support/stack/stack.ts';

type PlacedCall = { org: TestOrg; phone: string; callId: string };

/** A call that has reached this status. */
async function aCallThatIs(status: string, script: Script): Promise<PlacedCall> {
  const [org, phone] = [await anOrg(), aPhoneNumber()];
  await voice.script(phone, script);
  const callId = await placeCall(org, { phone_number: phone });
  await eventually(
    () => readCall(org, callId),
    (call) => call.status === status,
  );
  return { org, phone, callId };
}

/** A waiting call whose dial message is consumed without a slot, and whose org gets no slot handed over. */
async function aForgottenCall(): Promise<PlacedCall> {
  const [org, phone] = [await anOrg({ limits: { max_live_calls: 0 } }), aPhoneNumber()];
  const callId = await placeCall(org, { phone_number: phone });
  await workersAreIdle();
  expect((await readCall(org, callId)).status).toBe('queued');
  await changeOrg(org.orgId, { max_live_calls: 1 });
  return { org, phone, callId };
}

describe('recover-calls', () => {
  it('ends calls whose report never arrives, dials a forgotten call, and ignores a live call', async () => {
    const answer = { behaviour: 'answer' as const, talkSeconds: 70 };
    const [withoutReport, withoutBoth, ringing] = await Promise.all([
      aCallThatIs('in_progress', { ...answer, dropLast: 'report' }),
      aCallThatIs('in_progress', { ...answer, dropLast: 'ended-and-report' }),
      // Rings until the test hangs up.
      aCallThatIs('ringing', { ...answer, ringSeconds: 1_000_000 }),
    ]);
    const forgotten = await aForgottenCall();
    for (const { phone } of [withoutReport, withoutBoth]) await recordIsComplete(phone);
    await passTime(240);
    await recoverCalls();
    for (const { org, callId } of [withoutReport, withoutBoth]) {
      expect(await endOf(org, callId)).toMatchObject({ status: 'completed', duration: 70, cost: 2 });
      expect((await stores.calls.get(callId))?.transcript_key).toBeTruthy();
      await expectBalancedBooks(org.orgId);
    }
    expect((await endOf(forgotten.org, forgotten.callId)).status).toBe('completed');
    expect((await readCall(ringing.org, ringing.callId)).status).toBe('ringing');
    await hangUpAt(ringing.phone);
    expect(await endOf(ringing.org, ringing.callId)).toMatchObject({
      status: 'canceled',
      ended_reason: 'manually-canceled',
    });
  });

  it('finishes an ended call whose message to finish-call was lost', async () => {
    const { call_id } = await aFinishedCall(await anOrg());
    // The event of the new item finishes the call. The change below causes no event.
    await workersAreIdle();
    await db.send(
      new UpdateCommand({
        TableName: named.table('calls'),
        Key: { call_id },
        UpdateExpression: 'SET unfinished = :ended, ended_at = :at, progress_at = :at REMOVE finished_at',
        ExpressionAttributeValues: { ':ended': 'ended', ':at': secondsAgo(1_000) },
      }),
    );
    expect((await recoverCalls()).finish).toBeGreaterThan(0);
    await eventually(
      () => stores.calls.get(call_id),
      (call) => call?.finished_at !== undefined,
    );
  });

  it('runs on its schedule, every five minutes', async () => {
    const script: Script = { behaviour: 'answer', dropLast: 'ended-and-report' };
    const { org, phone, callId } = await aCallThatIs('in_progress', script);
    await recordIsComplete(phone);
    await passTime(200);
    // The run that this clock step made due may have been too early for the call.
    await sleep(1_500);
    await passTime(301);
    expect((await endOf(org, callId)).status).toBe('completed');
  });
});
