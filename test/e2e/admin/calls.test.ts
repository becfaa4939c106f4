import { randomUUID } from 'node:crypto';
import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { GetQueueUrlCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { functionNames, functionRow } from '../../../lib/functions.ts';
import { pauseDialing, resumeDialing } from '../../../shared/operations/calls/pause-dialing.ts';
import { type Body, done, refusals, refused } from '../../support/admin/cli.ts';
import {
  anOrg,
  expectBalancedBooks,
  OPERATOR,
  operating,
  stores,
  type TestOrg,
} from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, placeCall, readCall, request } from '../../support/rest/rest.ts';
import { client, eventually, named, now, sqs, voice, workersAreIdle } from '../../support/stack/stack.ts';
import { SIMULATED_SPEED } from '../../support/stack/start-stack.ts';

let org: TestOrg;
beforeAll(async () => {
  org = await anOrg({ credits: 100 });
});
afterAll(async () => {
  // Resumes dialing even after a failure, which must not stop the other suites.
  await resumeDialing(operating, OPERATOR);
  await voice.settings({ speed: SIMULATED_SPEED });
});

/** A phone whose call ends soon. */
async function aBusyNumber(): Promise<string> {
  const phone_number = aPhoneNumber();
  await voice.script(phone_number, { behaviour: 'busy', ringSeconds: 1 });
  return phone_number;
}

describe('admin dialing and call', () => {
  it('pauses the stage, cancels a waiting call, resumes, hangs up a live call, and shows the results', async () => {
    const phone_number = aPhoneNumber();
    // Slow enough that the call is live until it is hung up.
    await voice.settings({ speed: 3 });
    await voice.script(phone_number, { behaviour: 'answer', queueSeconds: 0, ringSeconds: 0, talkSeconds: 1_200 });
    let live = '';
    try {
      expect(await done('dialing', 'pause')).toMatchObject({ paused: true });
      const waiting = await placeCall(org, { phone_number: aPhoneNumber() });
      // CloudFront and API Gateway extend the header like this; the emulator does not.
      const headers = { 'x-forwarded-for': '198.51.100.7, 203.0.113.7, 127.0.0.1' };
      const body = { phone_number, assistant_id: org.assistantId, idempotency_key: randomUUID() };
      const placed = await request('POST', '/v1/calls/outbound', { key: org.apiKey, headers, body });
      live = String(placed.body.call_id);
      await workersAreIdle();
      expect(await done('org', 'show', '--org', org.orgId)).toMatchObject({ balance: 100, held: 20, available: 80 });
      expect(await refused('call', 'hangup', '--call', waiting)).toMatchObject({ error: 'not_live' });
      expect(await done('call', 'cancel', '--call', waiting)).toMatchObject({
        id: waiting,
        status: 'canceled',
        ended_reason: 'canceled_by_operator',
        cost: 0,
      });
      expect(await refused('call', 'cancel', '--call', waiting)).toMatchObject({ error: 'already_ended' });
      expect(await readCall(org, live)).toMatchObject({ status: 'queued' });
      expect(await done('org', 'show', '--org', org.orgId)).toMatchObject({ balance: 100, held: 10 });
      await expectBalancedBooks(org.orgId);
    } finally {
      expect(await done('dialing', 'resume')).toMatchObject({ paused: false });
    }

    await eventually(
      () => readCall(org, live),
      ({ status }) => status === 'in_progress',
    );
    const canceling = await refused('call', 'cancel', '--call', live);
    expect(canceling).toMatchObject({ error: 'already_dialed', message: expect.stringContaining('hangup') });
    expect(await done('call', 'hangup', '--call', live)).toMatchObject({ id: live });
    await voice.settings({ speed: SIMULATED_SPEED });
    await endOf(org, live);
    expect(await refused('call', 'hangup', '--call', live)).toMatchObject({ error: 'already_ended' });

    const shown = await eventually(
      () => done('call', 'show', '--call', live),
      ({ recording, analysis_state }) => recording.state !== 'pending' && analysis_state !== 'pending',
    );
    expect(shown).toMatchObject({
      ...(await readCall(org, live)),
      org_id: org.orgId,
      placed_by: {
        kind: 'key',
        key_id: org.keyId,
        name: 'test',
        address: expect.stringMatching(/^[\d.]+$/),
        forwarded_for: '203.0.113.7',
      },
      created_at: expect.any(String),
      dial_by: expect.any(String),
      scheduled_for: null,
      attempts: 1,
      crm_b: null,
      analysis_state: 'done',
      analysis_error: null,
      analysis_is_cut: false,
      analyzed_at: expect.any(String),
      lead_intent: expect.any(String),
      do_not_call: false,
      transcript: expect.stringContaining('Namaste'),
      recording: { state: 'stored', key: expect.stringContaining(live), error: null },
      callbacks: [],
    });

    const { calls } = await done('call', 'list', '--org', org.orgId);
    expect(calls.map(({ id }: Body) => id)[0]).toBe(live);
    const { entries } = await done('org', 'ledger', '--org', org.orgId);
    const { kind: _, ...key } = shown.placed_by;
    const ofLive = entries.filter(({ call_id }: Body) => call_id === live);
    expect(ofLive.map((entry: Body) => [entry.kind, entry.key])).toEqual([
      ['settlement', key],
      ['hold', key],
    ]);
    const canceled = await done('call', 'list', '--org', org.orgId, '--status', 'canceled', '--limit', '1');
    expect(canceled.calls.map(({ status }: Body) => status)).toEqual(['canceled']);
    await expectBalancedBooks(org.orgId);
  });

  it('shows each attempt of a callback, and when the next one is due', async () => {
    const callId = await placeCall(org, { phone_number: await aBusyNumber() });
    await endOf(org, callId);
    const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
    const callback = { call_id: callId, org_id: org.orgId, url: 'https://example.com', body: '{}', created_at: at(0) };
    await stores.callbacks.create({
      ...callback,
      webhook_id: 'one',
      type: 'call.ringing',
      state: 'pending',
      attempts: [
        { at: at(1), status_code: 500 },
        { at: at(3), error: 'timeout' },
      ],
      next_attempt_at: at(9),
      expires_at: 9_999_999_999,
    });
    await stores.callbacks.create({
      ...callback,
      webhook_id: 'two',
      type: 'call.dialing',
      state: 'delivered',
      attempts: [{ at: at(2), status_code: 204 }],
      expires_at: 9_999_999_999,
    });
    expect((await done('call', 'show', '--call', callId)).callbacks).toEqual([
      { type: 'call.ringing', at: at(1), status_code: 500, error: null, next_attempt_at: null },
      { type: 'call.dialing', at: at(2), status_code: 204, error: null, next_attempt_at: null },
      { type: 'call.ringing', at: at(3), status_code: null, error: 'timeout', next_attempt_at: at(9) },
    ]);
  });

  it('ends a live call without the report of the platform if forced', async () => {
    const phone_number = aPhoneNumber();
    await voice.settings({ speed: 3 });
    await voice.script(phone_number, { behaviour: 'answer', queueSeconds: 0, ringSeconds: 0, talkSeconds: 1_200 });
    const callId = await placeCall(org, { phone_number });
    await eventually(
      () => readCall(org, callId),
      ({ status }) => status === 'in_progress',
    );
    expect(await refused('call', 'end', '--call', callId)).toMatchObject({ error: 'not_confirmed' });
    const ended = { id: callId, status: 'failed', ended_reason: 'ended_by_operator', cost: 0 };
    expect(await done('call', 'end', '--call', callId, '--force')).toMatchObject(ended);
    expect(await refused('call', 'end', '--call', callId, '--force')).toMatchObject({ error: 'already_ended' });
    await voice.settings({ speed: SIMULATED_SPEED });
    await eventually(
      () => voice.calls(phone_number),
      ([dialed]) => dialed?.live === false,
    );
    expect(await expectBalancedBooks(org.orgId)).toMatchObject({ held: 0 });
  });

  it('refuses unknown calls', async () => {
    const verbs = [['show'], ['cancel'], ['hangup'], ['end', '--force']];
    const unknown = verbs.map((verb) => ['call', ...verb, '--call', 'call_none']);
    expect(await refusals(unknown)).toEqual(unknown.map(() => 'call_not_found'));
  });
});

describe('admin schedule', () => {
  it('runs a scheduled function as of now or as of an instant, and shows its report', async () => {
    const reports = await Promise.all([
      done('schedule', 'run', 'recover-calls'),
      done('schedule', 'run', 'recover-calls', '--as-of', '2026-01-01T10:00:00+05:30'),
    ]);
    for (const report of reports) expect(report).toMatchObject({ looked_at: expect.any(Number), complete: true });
  });
});

describe('admin queue', () => {
  const addDeadLetter = async (source: string, body: object) => {
    const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName: named.deadLetters(source) }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));
  };
  const countDeadLetters = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await done('queue', 'list')).queues.map(({ name, dead_letters }: Body) => [name, dead_letters]),
    );

  it('lists every queue with its depth, the age of its oldest message, and its dead letters', async () => {
    // The local cloud writes no metrics of queues, so the test writes one.
    await new CloudWatchClient(client).send(
      new PutMetricDataCommand({
        Namespace: 'AWS/SQS',
        MetricData: [
          {
            MetricName: 'ApproximateAgeOfOldestMessage',
            Dimensions: [{ Name: 'QueueName', Value: named.queue('slots') }],
            Value: 42,
            Timestamp: now(),
          },
        ],
      }),
    );
    const { queues } = await done('queue', 'list');
    const aged = queues.filter(({ oldest_age_seconds }: Body) => oldest_age_seconds !== null);
    expect(aged).toEqual([expect.objectContaining({ name: 'slots', oldest_age_seconds: 42 })]);
    expect(queues.map(({ name }: Body) => name)).toEqual([
      ...[
        'lead-events',
        'releases',
        'switch-offs',
        'dial',
        'voice-events',
        'slots',
        'finish',
        'crm-b-sync',
        'tickets',
        'callbacks',
      ],
      ...['calls-stream', 'connections-stream'],
      ...functionNames.filter((name) => functionRow(name).trigger.kind === 'schedule'),
    ]);
    expect((await done('queue', 'list', '--queue', 'slots')).queues).toMatchObject([{ name: 'slots' }]);
    expect((await refused('queue', 'list', '--queue', 'nonsense')).error).toBe('invalid_value');
    expect(queues.find(({ name }: Body) => name === 'dial')).toEqual({
      name: 'dial',
      depth: expect.any(Number),
      in_flight: expect.any(Number),
      delayed: expect.any(Number),
      oldest_age_seconds: null,
      dead_letters: expect.any(Number),
    });
  });

  it('repeats the work of dead letters: of a queue, a rule, a schedule and a stream', async () => {
    const before = await countDeadLetters();
    const numbers = await Promise.all([aBusyNumber(), aBusyNumber()]);
    // Two calls whose messages are lost: they are consumed while the stage is paused.
    await pauseDialing(operating, OPERATOR);
    const lost = await Promise.all(numbers.map((phone_number) => placeCall(org, { phone_number })));
    await workersAreIdle();
    await resumeDialing(operating, OPERATOR);
    const event = (call_id?: string) => ({ type: 'call.queued', call_id, org_id: org.orgId, at: now().toISOString() });
    await addDeadLetter('slots', event(lost[0]));
    await addDeadLetter('slots', { 'detail-type': 'call.queued', source: 'test', detail: event(lost[1]) });
    await addDeadLetter('recover-calls', { time: now().toISOString() });
    await addDeadLetter('connections-stream', { DDBStreamBatchInfo: { batchSize: 1 } });
    const after = await countDeadLetters();
    expect(after.slots).toBe((before.slots ?? 0) + 2);

    expect(await done('queue', 'redrive', '--queue', 'slots')).toEqual({ moved: { slots: after.slots } });
    const { moved } = await done('queue', 'redrive');
    expect(moved).toMatchObject({
      slots: 0,
      'recover-calls': after['recover-calls'],
      'connections-stream': after['connections-stream'],
    });
    for (const callId of lost) expect(await endOf(org, callId)).toMatchObject({ status: 'busy' });
    const none = { slots: 0, 'recover-calls': 0, 'connections-stream': 0 };
    expect(await countDeadLetters()).toMatchObject(none);
  });
});
