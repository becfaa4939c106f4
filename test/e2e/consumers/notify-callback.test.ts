import { GetScheduleCommand, ResourceNotFoundException } from '@aws-sdk/client-scheduler';
import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Webhook } from 'standardwebhooks';
import { callbackSecretContext, seal, unseal } from '../../../shared/stores/sealing.ts';
import { callbackReceiver } from '../../support/after-call/callback-receiver.ts';
import { anOrg, changeOrg, stores, type TestOrg } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, placeCall, readCall } from '../../support/rest/rest.ts';
import {
  db,
  eventually,
  inTime,
  kms,
  named,
  now,
  passTime,
  pauseRecovery,
  recoverCalls,
  resumeRecovery,
  scheduler,
  variablesOf,
  voice,
} from '../../support/stack/stack.ts';

const receiver = await callbackReceiver();
afterAll(() => receiver.stop());

const keyId = named.keyAlias('callback-secrets');

/** Gives the organization a new secret, as a rotation does. @returns both secrets, which sign for a day */
async function rotateSecret({ orgId }: TestOrg): Promise<[string, string]> {
  const before = (await stores.organizations.get(orgId))?.callback_secrets[0];
  if (!before) throw new Error('the org has no secret');
  const context = callbackSecretContext(orgId);
  const next = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const until = new Date(now().getTime() + 86_400_000).toISOString();
  await changeOrg(orgId, {
    callback_secrets: [
      { ciphertext: await seal(kms, keyId, next, context), hint: 'next' },
      { ...before, until },
    ],
  });
  return [next, await unseal(kms, keyId, before.ciphertext, context)];
}

const callbackStatusOf = (org: TestOrg, callId: string, wanted: string) =>
  eventually(
    () => readCall(org, callId),
    ({ callback_status }) => callback_status === wanted,
  );

const notificationOf = async (callId: string, wanted: string) =>
  (await stores.callbacks.listOfCall(callId)).find(({ type }) => type === wanted);

async function scheduleOf(Name: string) {
  const { CALLBACK_SCHEDULES_GROUP: GroupName } = await variablesOf('notify-callback');
  return scheduler.send(new GetScheduleCommand({ GroupName, Name })).catch((error: unknown) => {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  });
}

describe('notify-callback', () => {
  it('sends every status and the analysis once, with the call as it was then, signed by both secrets', async () => {
    // The call is dialed only after it was read.
    const org = await anOrg({ limits: { max_live_calls: 0 } });
    const secrets = await rotateSecret(org);
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'answer', ringSeconds: 60, talkSeconds: 90 });
    const callback_url = receiver.address();
    const callId = await placeCall(org, { phone_number, callback_url, metadata: { order: 7 } });
    expect((await readCall(org, callId)).callback_status).toBe('pending');
    await changeOrg(org.orgId, { max_live_calls: 1 });
    await recoverCalls();
    await callbackStatusOf(org, callId, 'delivered');
    await eventually(
      async () => receiver.typesAt(callback_url),
      (types) => types.includes('call.completed') && types.includes('call.analyzed'),
    );

    const received = receiver.at(callback_url);
    const types = received.map(({ body }) => JSON.parse(body).type);
    expect(new Set(types).size).toBe(types.length);
    expect(['call.dialing', 'call.ringing', 'call.in_progress', 'call.completed', 'call.analyzed']).toEqual(
      expect.arrayContaining(types),
    );
    for (const { headers, body } of received) {
      // The service's clock may be ahead of the machine's clock, which the library uses.
      const at = new Date(Number(headers['webhook-timestamp']) * 1000);
      const sign = (secret: string) => new Webhook(secret).sign(headers['webhook-id'] ?? '', at, body);
      expect(headers['webhook-signature']?.split(' ')).toEqual(secrets.map(sign));
      const { type, timestamp, data } = JSON.parse(body);
      expect(data.status).toBe(type === 'call.analyzed' ? 'completed' : type.slice('call.'.length));
      expect(timestamp).toMatch(/Z$/);
      expect(data).toMatchObject({
        id: callId,
        phone_number,
        request_metadata: { order: 7 },
        // The analysis may follow the notification of the end.
        callback_status: type === 'call.analyzed' ? expect.stringMatching(/^(pending|delivered)$/) : 'pending',
      });
    }
    const dataOf = (wanted: string) =>
      received.map(({ body }) => JSON.parse(body)).find(({ type }) => type === wanted).data;
    expect(dataOf('call.completed')).toMatchObject({ status: 'completed', duration: 90, cost: 2 });
    const { summary, sentiment, analysis } = await readCall(org, callId);
    expect(analysis).toMatchObject({ summary: expect.any(String), success_eval: expect.any(String) });
    expect(dataOf('call.analyzed')).toMatchObject({ duration: 90, cost: 2, summary, sentiment, analysis });
  });

  it('retries after 5 s and 5 min through the queue, after 30 min through a schedule, always with the same id', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'busy' });
    const callback_url = receiver.addressFor(
      'call.busy',
      { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
      { status: 500 },
      { status: 500 },
      { status: 200 },
    );
    const callId = await placeCall(org, { phone_number, callback_url });
    await endOf(org, callId);
    // recover-calls would send overdue attempts, but this test is about the queue and the schedule.
    await pauseRecovery();
    const waiting = await inTime(
      () => notificationOf(callId, 'call.busy'),
      (found) => found?.attempts.length === 3,
      { seconds: 60, most: 30 },
    ).finally(resumeRecovery);
    expect(waiting).toMatchObject({ state: 'pending' });
    // The next wait exceeds a queue's longest delay, so a schedule delays it.
    const schedule = await eventually(
      () => scheduleOf(`${waiting?.webhook_id}-4`),
      (found) => found !== undefined,
    );
    expect(JSON.parse(schedule?.Target?.Input ?? '{}')).toEqual({ call_id: callId, webhook_id: waiting?.webhook_id });
    await passTime(2_400);
    await callbackStatusOf(org, callId, 'delivered');
    const end = await notificationOf(callId, 'call.busy');
    expect(end?.attempts.map(({ status_code }) => status_code)).toEqual([302, 500, 500, 200]);
    const [first = 0, second = 0, third = 0, fourth = 0] = end?.attempts.map(({ at }) => Date.parse(at) / 1000) ?? [];
    expect(second - first).toBeGreaterThanOrEqual(4);
    expect(third - second).toBeGreaterThanOrEqual(240);
    expect(fourth - third).toBeGreaterThanOrEqual(1_440);
    const received = receiver.at(callback_url).filter(({ body }) => JSON.parse(body).type === 'call.busy');
    expect(received.length).toBeGreaterThanOrEqual(4);
    expect(new Set(received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([end?.webhook_id]));
  });

  it('drops a pending notification of a lower rank once a higher one was delivered', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    const callback_url = receiver.addressFor('call.dialing', { status: 500 });
    await voice.script(phone_number, { behaviour: 'answer', ringSeconds: 200, talkSeconds: 60 });
    const callId = await placeCall(org, { phone_number, callback_url });
    await endOf(org, callId);
    await callbackStatusOf(org, callId, 'delivered');
    const dropped = await inTime(
      () => notificationOf(callId, 'call.dialing'),
      (found) => found !== undefined && found.state !== 'pending',
      { seconds: 60, most: 15 },
    );
    expect(dropped?.state).toBe('superseded');
  });

  it('sends the end through recover-calls if its event was lost', async () => {
    const org = await anOrg();
    const callback_url = receiver.address();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'busy' });
    const callId = await placeCall(org, { phone_number, callback_url });
    await callbackStatusOf(org, callId, 'delivered');
    // Only the test runs recover-calls: two runs would send it twice.
    await pauseRecovery();
    try {
      // No work of the call is under way.
      await eventually(
        () => stores.calls.get(callId),
        (call) => call?.finished_at !== undefined,
      );
      await inTime(
        () => stores.callbacks.listOfCall(callId),
        (callbacks) => callbacks.every(({ state }) => state !== 'pending'),
        { seconds: 60, most: 15 },
      );
      // Simulates a loss of the event and all its effects.
      for (const { webhook_id } of await stores.callbacks.listOfCall(callId))
        await db.send(new DeleteCommand({ TableName: named.table('callbacks'), Key: { call_id: callId, webhook_id } }));
      await db.send(
        new UpdateCommand({
          TableName: named.table('calls'),
          Key: { call_id: callId },
          UpdateExpression: 'SET callback_status = :pending, unfinished = :ended',
          ExpressionAttributeValues: { ':pending': 'pending', ':ended': 'ended' },
        }),
      );
      const before = receiver.at(callback_url).length;
      await passTime(200);
      await recoverCalls();
      await callbackStatusOf(org, callId, 'delivered');
      expect(receiver.at(callback_url).length).toBe(before + 1);
    } finally {
      await resumeRecovery();
    }
  });
});
