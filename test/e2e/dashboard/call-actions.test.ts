import type { Call } from '../../../shared/domain/calls/call.ts';
import { repeatAnalysis, resendCallback, stopCall } from '../../../shared/messages/dashboard/call-actions.ts';
import { showCall } from '../../../shared/messages/dashboard/calls.ts';
import { callbackReceiver } from '../../support/after-call/callback-receiver.ts';
import { anAcceptedCall, endAcceptedCalls } from '../../support/calls/accepted-call.ts';
import { aFinishedCall, aNotification } from '../../support/calls/finished-call.ts';
import { acting, aMember } from '../../support/dashboard/dashboard.ts';
import { anOrg, stores, type TestOrg, untilCall } from '../../support/organizations/orgs.ts';
import { secondsAgo } from '../../support/stack/stack.ts';

afterAll(endAcceptedCalls);

const receiver = await callbackReceiver();
afterAll(() => receiver.stop());

const notEnded = { transcript_key: undefined, ended_at: undefined, started_at: undefined, cost: undefined };

async function aTeam() {
  const org = await anOrg();
  return { org, member: await acting(await aMember(org, 'member')) };
}

const auditedActions = async ({ orgId }: TestOrg): Promise<string[]> =>
  (await stores.audit.page(orgId, { limit: 20 })).items
    .map(({ action }) => action)
    .filter((action) => /^call/.test(action));

describe('stop-call', () => {
  it('cancels a waiting call, requests the end of a live one from the platform, and reports an ended one', async () => {
    const { org, member } = await aTeam();
    const scheduled_for = secondsAgo(-3_600);
    const waiting: Partial<Call> = { ...notEnded, status: 'scheduled', scheduled_for, dial_by: scheduled_for };
    const { call_id: id } = await aFinishedCall(org, undefined, { ...waiting, finished_at: undefined });
    expect(await member(stopCall, {}, { id })).toMatchObject({ status: 200, body: { state: 'canceled' } });
    expect(await stores.calls.get(id)).toMatchObject({ status: 'canceled', ended_reason: 'canceled_by_member' });
    expect(await member(stopCall, {}, { id })).toMatchObject({ status: 409, body: { error: 'call_has_ended' } });

    const { callId } = await anAcceptedCall(org);
    expect(await member(stopCall, {}, { id: callId })).toMatchObject({ status: 202, body: { state: 'hanging_up' } });
    await untilCall(callId, ({ status }) => status === 'canceled');
    expect(await auditedActions(org)).toEqual(['call.stopped', 'call.stopped']);
    const { body } = await member(showCall, {}, { id: callId });
    expect(showCall.answer.parse(body).timeline.map(({ what }) => what)).toContain('stop_asked');
    // A call by REST holds its credit from its placing to its end.
    expect(showCall.answer.parse(body).credit.entries.map(({ kind, held }) => [kind, held])).toEqual([
      ['hold', 10],
      ['settlement', -10],
    ]);
  });
});

describe('repeat-analysis', () => {
  it('stores a new result with an audit entry, and refuses a call without speech', async () => {
    const { org, member } = await aTeam();
    const { call_id: id } = await aFinishedCall(org, 'AI: Namaste.\nUser: I would like to book a visit.\n');
    expect(await member(repeatAnalysis, {}, { id })).toMatchObject({
      status: 200,
      body: { result: { success_eval: expect.any(String) } },
    });
    expect(await stores.calls.get(id)).toMatchObject({ analysis: { state: 'done' } });
    const silent = await aFinishedCall(org);
    expect(await member(repeatAnalysis, {}, { id: silent.call_id })).toMatchObject({
      status: 409,
      body: { error: 'transcript_not_available' },
    });
    expect(await auditedActions(org)).toEqual(['call.analyzed']);
  });
});

describe('resend-callback', () => {
  it('delivers a notification that was given up, with its id and body', async () => {
    const { org, member } = await aTeam();
    const address = receiver.address();
    const call = await aFinishedCall(org, undefined, { callback_url: address, callback_status: 'failed' });
    const notification = aNotification(call);
    const { call_id, webhook_id, body } = notification;
    await stores.callbacks.create(notification);
    const answer = await member(resendCallback, {}, { id: call_id, webhookId: webhook_id });
    expect(answer).toMatchObject({ status: 202, body: { state: 'queued' } });
    await untilCall(call_id, ({ callback_status }) => callback_status === 'delivered');
    expect(receiver.at(address)).toMatchObject([{ body, headers: { 'webhook-id': webhook_id } }]);
    const shown = showCall.answer.parse((await member(showCall, {}, { id: call_id })).body);
    expect(shown.callbacks).toMatchObject([
      { state: 'delivered', asked_at: null, attempts: [{ is_asked: false }, { status_code: 204, is_asked: true }] },
    ]);
    expect(await auditedActions(org)).toEqual(['callback.resent']);
  });
});
