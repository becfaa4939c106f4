import { GetScheduleCommand } from '@aws-sdk/client-scheduler';
import { Webhook } from 'standardwebhooks';
import type { Callback } from '../../shared/domain/callback.ts';
import { callbackSecrets } from '../../shared/stores/callback-secrets.ts';
import { callbackSecretContext, seal } from '../../shared/stores/sealing.ts';
import { callbackReceiver } from '../support/callback-receiver.ts';
import { anOrg, stores, type TestOrg } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall, readCall } from '../support/rest.ts';
import { eventually, kms, named, now, passTime, recoverCalls, scheduler, voice } from '../support/stack.ts';

const receiver = await callbackReceiver();
afterAll(() => receiver.stop());

const keyId = named.keyAlias('callback-secrets');
const secretsOf = async (org: TestOrg) => callbackSecrets(kms, keyId, stores.organizations)(org.orgId, now());

const callbackStatusOf = (org: TestOrg, callId: string, wanted: string, seconds = 15) =>
  eventually(
    () => readCall(org, callId),
    ({ callback_status }) => callback_status === wanted,
    seconds,
  );

describe('notify-callback', () => {
  it('tells every status after the creation, signed by Standard Webhooks, with the call as it was', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'answer', ringSeconds: 60, talkSeconds: 90 });
    const callback_url = receiver.address();
    const callId = await placeCall(org, { phone_number, callback_url, metadata: { order: 7 } });
    expect((await readCall(org, callId)).callback_status).toBe('pending');
    await callbackStatusOf(org, callId, 'delivered');
    await eventually(
      async () => receiver.typesAt(callback_url),
      (types) => types.includes('call.completed'),
    );

    const received = receiver.at(callback_url);
    const types = received.map(({ body }) => JSON.parse(body).type);
    expect(new Set(types).size).toBe(types.length);
    expect(types).toContain('call.completed');
    expect(['call.dialing', 'call.ringing', 'call.in_progress', 'call.completed']).toEqual(
      expect.arrayContaining(types),
    );
    const [secret] = await secretsOf(org);
    for (const { headers, body } of received) {
      // The product's clock may be ahead of this machine's, which the library goes by.
      const signed = new Webhook(secret).sign(
        headers['webhook-id'] ?? '',
        new Date(Number(headers['webhook-timestamp']) * 1000),
        body,
      );
      expect(headers['webhook-signature']).toBe(signed);
      const { type, timestamp, data } = JSON.parse(body);
      expect(type).toBe(`call.${data.status}`);
      expect(timestamp).toMatch(/Z$/);
      expect(data).toMatchObject({
        id: callId,
        phone_number,
        request_metadata: { order: 7 },
        callback_status: 'pending',
      });
    }
    const end = JSON.parse(received.find(({ body }) => body.includes('call.completed'))?.body ?? '{}');
    expect(end.data).toMatchObject({ status: 'completed', duration: 90, cost: 2 });
  });

  it('repeats what is not taken: after 5 s and 5 min by the queue, after 30 min by a schedule, always with the same id', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'busy' });
    const callback_url = receiver.address(
      { status: 302, headers: { location: 'http://127.0.0.1:1/' } },
      ...Array(6).fill({ status: 500 }),
      { status: 200 },
    );
    const callId = await placeCall(org, { phone_number, callback_url });
    await endOf(org, callId);
    const attemptsOfTheEnd = () =>
      receiver.at(callback_url).filter(({ body }) => JSON.parse(body).type === 'call.busy').length;
    const triedThrice = (callbacks: Callback[]) => callbacks.some(({ attempts }) => attempts.length === 3);
    let kept = await stores.callbacks.listOfCall(callId);
    for (let minute = 0; minute < 15 && !triedThrice(kept); minute += 1) {
      await passTime(60);
      await new Promise((resolve) => setTimeout(resolve, 500));
      kept = await stores.callbacks.listOfCall(callId);
    }
    // The next wait is longer than a queue's: a schedule keeps it.
    const waiting = kept.find(({ attempts }) => attempts.length === 3);
    const { Target } = await scheduler.send(
      new GetScheduleCommand({ GroupName: named.callbackSchedules, Name: `${waiting?.webhook_id}-4` }),
    );
    expect(JSON.parse(Target?.Input ?? '{}')).toEqual({ call_id: callId, webhook_id: waiting?.webhook_id });
    await passTime(2_400);
    await callbackStatusOf(org, callId, 'delivered', 20);
    expect(attemptsOfTheEnd()).toBeGreaterThanOrEqual(2);
    const ids = receiver.at(callback_url).map(({ headers }) => headers['webhook-id']);
    const [end] = (await stores.callbacks.listOfCall(callId)).filter(({ type }) => type === 'call.busy');
    expect(ids.filter((id) => id === end?.webhook_id)).toHaveLength(attemptsOfTheEnd());
    expect(end?.attempts.at(-1)).toMatchObject({ status_code: 200 });
  });

  it('gives up after seven attempts over hours: callback_status failed', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'busy' });
    const callback_url = receiver.address({ status: 503 });
    const callId = await placeCall(org, { phone_number, callback_url });
    await endOf(org, callId);
    for (const hours of [0, 0.01, 0.12, 0.7, 2.6, 6.2, 12.2]) {
      await passTime(hours * 3_600);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
    }
    await callbackStatusOf(org, callId, 'failed', 20);
    const [end] = (await stores.callbacks.listOfCall(callId)).filter(({ type }) => type === 'call.busy');
    expect(end?.attempts).toHaveLength(7);
    expect((await stores.calls.get(callId))?.unfinished).toBeUndefined();
  });

  it('ends the notifications of a call when the receiver answers 410', async () => {
    const org = await anOrg();
    const callback_url = receiver.address({ status: 410 });
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'answer', ringSeconds: 100, talkSeconds: 300 });
    const callId = await placeCall(org, { phone_number, callback_url });
    await endOf(org, callId);
    await callbackStatusOf(org, callId, 'failed');
    await new Promise((resolve) => setTimeout(resolve, 700));
    const kept = await stores.callbacks.listOfCall(callId);
    expect(kept.filter(({ state }) => state === 'pending')).toEqual([]);
  });

  it('drops a pending notification of a lower rank once a higher one was delivered', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    // The first one fails, the later ones are taken.
    const callback_url = receiver.address({ status: 500 }, { status: 200 });
    await voice.script(phone_number, { behaviour: 'answer', ringSeconds: 200, talkSeconds: 60 });
    const callId = await placeCall(org, { phone_number, callback_url });
    await endOf(org, callId);
    await callbackStatusOf(org, callId, 'delivered');
    await passTime(10);
    const kept = await eventually(
      () => stores.callbacks.listOfCall(callId),
      (callbacks) => callbacks.every(({ state }) => state !== 'pending'),
    );
    expect(kept.map(({ state }) => state)).toContain('superseded');
  });

  it('signs with the former secret along for 24 hours after a rotation', async () => {
    const org = await anOrg();
    const [former] = await secretsOf(org);
    const stored = await stores.organizations.get(org.orgId);
    const next = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    await stores.organizations.update(org.orgId, {
      callback_secrets: [
        { ciphertext: await seal(kms, keyId, next, callbackSecretContext(org.orgId)), hint: 'next' },
        {
          ...(stored?.callback_secrets[0] as { ciphertext: string; hint: string }),
          until: new Date(now().getTime() + 86_400_000).toISOString(),
        },
      ],
    });
    const callback_url = receiver.address();
    const callId = await placeCall(org, { phone_number: aPhoneNumber(), callback_url });
    await callbackStatusOf(org, callId, 'delivered');
    const [first] = receiver.at(callback_url);
    const at = new Date(Number(first?.headers['webhook-timestamp']) * 1000);
    const sign = (secret: string) =>
      new Webhook(secret).sign(first?.headers['webhook-id'] ?? '', at, first?.body ?? '');
    expect(first?.headers['webhook-signature']?.split(' ')).toEqual([sign(next), sign(former)]);
  });

  it('is told of the end by recover-calls where its event was lost', async () => {
    const org = await anOrg();
    const callback_url = receiver.address();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, { behaviour: 'busy' });
    const callId = await placeCall(org, { phone_number, callback_url });
    await callbackStatusOf(org, callId, 'delivered');
    // As if the event and all that came of it had been lost.
    const { db } = await import('../support/stack.ts');
    const { DeleteCommand, UpdateCommand } = await import('@aws-sdk/lib-dynamodb');
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
  });
});
