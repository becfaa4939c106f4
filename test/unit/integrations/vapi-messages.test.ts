import fc from 'fast-check';
import { platformMessageSchema } from '../../../shared/domain/calls/platform/platform-message.ts';
import { readVapiCall, readVapiMessage, vapiCallSchema } from '../../../shared/integrations/voice/vapi/messages.ts';
import { forAll } from '../../support/values/for-all.ts';
import { vapiEndedReasons, vapiStatuses } from '../../support/values/vapi-values.ts';

const now = new Date('2026-03-02T06:10:00.000Z');
const TIMESTAMP = Date.parse('2026-03-02T06:02:06.000Z');
const accountFaults = [
  'subscription-insufficient-credits',
  'subscription-frozen',
  'subscription-wallet-does-not-exist',
  'subscription-upgrade-failed',
  'vapi-number-outbound-daily-limit',
  'vapi-number-international',
  'get-phone-number',
  'get-transport',
  'get-resources-validation',
  'fraud-check-failed',
  'enterprise-feature-not-available-recording-consent',
].map((reason) => `call.start.error-${reason}`);
const trunkFault = 'call.in-progress.error-providerfault-outbound-sip-407-proxy-authentication-required';
accountFaults.push(trunkFault);

/** A call inside a message as the platform sends it, with many members that we must not store. */
const call = {
  id: '7f0e6b7c-6a0d-4c6b-9d0e-0d6b1a2c3d4e',
  type: 'outboundPhoneCall',
  status: 'ended',
  createdAt: '2026-03-02T06:00:02.000Z',
  updatedAt: '2026-03-02T06:02:07.000Z',
  cost: 0.21,
  assistant: {
    model: { messages: [{ role: 'system', content: 'SECRET PROMPT' }] },
    server: { url: 'https://calls.example', headers: { 'x-call-signature': 'SECRET SIGNATURE' } },
    metadata: { callId: 'call_other' },
  },
  customer: { number: '+919812345678', name: 'Asha', externalId: 'call_1' },
  monitor: { listenUrl: 'wss://SECRET', controlUrl: 'https://SECRET' },
};
const { customer: _customer, ...callWithoutCustomer } = call;
const artifact = {
  transcript: 'AI: Hello!\nUser: Hi.\n',
  messages: [{ role: 'bot', message: 'Hello!', time: 1, endTime: 2, secondsFromStart: 0 }],
  recordingUrl: 'https://SECRET/recording.wav',
};
const reported = {
  type: 'end-of-call-report',
  timestamp: TIMESTAMP,
  endedReason: 'customer-ended-call',
  startedAt: '2026-03-02T06:00:10.000Z',
  endedAt: '2026-03-02T06:02:05.250Z',
  durationSeconds: 999,
  transcript: 'not this one',
  summary: 'nor this',
  analysis: { summary: 'SECRET', successEvaluation: 'true', structuredData: {} },
  artifact,
  call,
  phoneNumber: { twilioAuthToken: 'SECRET TOKEN' },
};
const statusUpdate = (status: unknown, more: object = {}) => ({
  message: { type: 'status-update', timestamp: TIMESTAMP, status, call: { ...call, status }, ...more },
});
const read = (body: unknown) => readVapiMessage(body, now);
const reportOf = (more: object) => read({ message: { ...reported, ...more } })?.message;

describe('an end-of-call report', () => {
  it('is read completely, and only members that we store remain', () => {
    expect(read({ message: reported })).toStrictEqual({
      callId: 'call_1',
      message: {
        kind: 'report',
        platform_id: call.id,
        outcome: 'completed',
        reason: 'customer-ended-call',
        started_at: '2026-03-02T06:00:10.000Z',
        ended_at: '2026-03-02T06:02:05.250Z',
        reported_at: new Date(TIMESTAMP).toISOString(),
        transcript: artifact.transcript,
        lines: [{ who: 'assistant', text: 'Hello!', from: 0, to: 0.001 }],
      },
    });
  });

  it('prefers its own members to those of the call inside it', () => {
    const inside = {
      ...call,
      endedReason: 'voicemail',
      startedAt: '2026-03-02T05:00:00.000Z',
      endedAt: '2026-03-02T05:01:00.000Z',
      artifact: { transcript: 'inside' },
    };
    const own = { reason: 'customer-ended-call', transcript: artifact.transcript };
    expect(reportOf({ call: inside })).toMatchObject(own);
    const bare = { type: 'end-of-call-report', timestamp: TIMESTAMP, call: inside };
    expect(read({ message: bare })?.message).toStrictEqual({
      kind: 'report',
      platform_id: call.id,
      outcome: 'no_answer',
      reason: 'voicemail',
      started_at: '2026-03-02T05:00:00.000Z',
      ended_at: '2026-03-02T05:01:00.000Z',
      reported_at: new Date(TIMESTAMP).toISOString(),
      transcript: 'inside',
    });
  });

  it('without times ends at the present time, without a connection', () => {
    const bare = {
      type: 'end-of-call-report',
      endedReason: 'customer-did-not-answer',
      call: { id: 'p', customer: { externalId: 'c' } },
    };
    expect(read({ message: bare })?.message).toStrictEqual({
      kind: 'report',
      platform_id: 'p',
      is_end_estimated: true,
      outcome: 'no_answer',
      reason: 'customer-did-not-answer',
      ended_at: now.toISOString(),
    });
    expect(read({ message: { ...bare, timestamp: TIMESTAMP } })?.message).toMatchObject({
      ended_at: new Date(TIMESTAMP).toISOString(),
    });
  });

  it('is read even if one member is malformed', () => {
    const odd = fc.constantFrom<unknown>(null, 9e15, true, false, [], {}, '?');
    const names = ['endedReason', 'startedAt', 'endedAt', 'timestamp', 'artifact', 'customer'];
    forAll([fc.record(Object.fromEntries(names.map((name) => [name, odd])))], { numRuns: 500 }, (more) => {
      const message = reportOf(more);
      expect(platformMessageSchema.parse(message)).toStrictEqual(message);
      expect(message).toMatchObject({ kind: 'report', platform_id: call.id });
    });
  });
});

describe('the reason of an end', () => {
  const inProgress = 'call.in-progress.error';
  const sip = `${inProgress}-providerfault-outbound-sip`;
  const start = 'call.start.error';
  /** Whether a person or a voicemail may have answered: only such an end has a start, whatever `startedAt` contains. */
  it.each<[outcome: string, line: 'answered' | 'unreached', reasons: string[]]>([
    [
      'completed',
      'answered',
      [
        'customer-ended-call',
        'assistant-ended-call',
        'assistant-said-end-call-phrase',
        'assistant-ended-call-after-message-spoken',
        'assistant-ended-call-with-hangup-task',
        'exceeded-max-duration',
        'silence-timed-out',
        'call.in-progress.twilio-completed-call',
        'call.in-progress.sip-completed-call',
        'vonage-completed',
        'customer-ended-call-during-transfer',
        'customer-ended-call-before-warm-transfer',
        'customer-ended-call-after-warm-transfer-attempt',
        `${inProgress}-transfer-failed`,
        `${inProgress}-warm-transfer-max-duration`,
        'call.forwarding.operator-busy',
        'call.forwarding.no-answer',
      ],
    ],
    ['transferred', 'answered', ['assistant-forwarded-call']],
    ['no_answer', 'answered', ['voicemail']],
    [
      'no_answer',
      'unreached',
      ['customer-did-not-answer', `${sip}-408-request-timeout`, `${sip}-480-temporarily-unavailable`],
    ],
    ['busy', 'unreached', ['customer-busy']],
    [
      'failed',
      'unreached',
      [
        `${inProgress}-sip-outbound-call-failed-to-connect`,
        'twilio-failed-to-connect-call',
        'twilio-reported-customer-misdialed',
        'vonage-rejected',
        'vonage-failed-to-connect-call',
        'assistant-not-found',
        'assistant-not-valid',
        `${sip}-403-forbidden`,
        `${start}-get-assistant`,
        `${start}-get-customer`,
        'call-start-error-neither-assistant-nor-server-set',
      ],
    ],
    ['failed', 'answered', ['worker-shutdown', 'pipeline-no-available-llm-model', `${inProgress}-vapifault-x`]],
    ['canceled', 'unreached', ['scheduled-call-deleted', 'call-deleted']],
    ['canceled', 'answered', ['manually-canceled']],
    [
      'not_dialed',
      'unreached',
      [`${start}-subscription-concurrency-limit-reached`, `${start}-vapifault-get-org`, ...accountFaults],
    ],
  ])('yields %s for %s', (outcome, line, reasons) => {
    for (const endedReason of reasons) {
      const report = reportOf({ endedReason });
      const started_at = line === 'answered' ? reported.startedAt : undefined;
      expect([endedReason, report]).toEqual([endedReason, expect.objectContaining({ outcome })]);
      expect([endedReason, Object(report).started_at]).toEqual([endedReason, started_at]);
    }
  });

  it('raises the alarm of the account only for its credit, its standing, its limits and our configuration', () => {
    const faults = [...vapiEndedReasons, undefined].filter(
      (endedReason) => 'is_account_fault' in (reportOf({ endedReason }) ?? {}),
    );
    expect(faults.sort()).toEqual(accountFaults.sort());
    for (const endedReason of accountFaults)
      expect(reportOf({ endedReason })).toMatchObject({ is_account_fault: true });
  });

  it('is stored as the platform sent it, and every documented reason is understood', () => {
    expect(vapiEndedReasons.length).toBeGreaterThan(500);
    for (const endedReason of vapiEndedReasons) {
      const message = reportOf({ endedReason });
      expect(platformMessageSchema.parse(message)).toMatchObject({ kind: 'report', reason: endedReason });
      // A call is dialed again only if it provably rang no phone.
      if (message?.kind === 'report' && message.outcome === 'not_dialed' && endedReason !== trunkFault)
        expect(endedReason).toMatch(/^call\.start\.error-(?!get-(assistant|customer)$)/);
      if (endedReason.startsWith('call.start.error-')) expect(message).not.toHaveProperty('started_at');
    }
  });

  it('that is unknown is a failure and never causes another dial', () => {
    const reasons = fc.oneof(fc.string(), fc.constantFrom('constructor', '__proto__', 'toString', 'hasOwnProperty'));
    forAll([reasons], (endedReason) => {
      fc.pre(!vapiEndedReasons.includes(endedReason));
      expect(reportOf({ endedReason })).toMatchObject({ outcome: 'failed', reason: endedReason });
    });
    expect(reportOf({ endedReason: undefined })).toMatchObject({ outcome: 'failed', reason: 'unknown' });
  });
});

describe('a status update', () => {
  it.each([
    ['scheduled', 'dialing'],
    ['queued', 'dialing'],
    ['ringing', 'ringing'],
    ['in-progress', 'in_progress'],
    ['forwarding', 'in_progress'],
  ])('%s is progress to %s', (status, ours) => {
    expect(read(statusUpdate(status, { transcript: 'SECRET', messages: [] }))).toStrictEqual({
      callId: 'call_1',
      message: { kind: 'progress', platform_id: call.id, status: ours, at: new Date(TIMESTAMP).toISOString() },
    });
  });

  it('ended is a hang-up, not the end', () => {
    const hungUp = { kind: 'hung_up', platform_id: call.id, at: new Date(TIMESTAMP).toISOString() };
    const ended = statusUpdate('ended', { endedReason: 'customer-ended-call' });
    expect(read(ended)).toStrictEqual({ callId: 'call_1', message: { ...hungUp, reason: 'customer-ended-call' } });
    const bare = { ...hungUp, at: now.toISOString(), reason: 'unknown' };
    expect(read(statusUpdate('ended', { timestamp: undefined }))?.message).toStrictEqual(bare);
  });

  it('with any documented status except not-found is understood', () => {
    for (const status of vapiStatuses)
      expect([status, read(statusUpdate(status))?.message !== undefined]).toEqual([
        status,
        !['not-found', 'deletion-failed'].includes(status),
      ]);
  });

  it.each(['', 'constructor', '__proto__', 'IN-PROGRESS', 7, null, undefined, {}])(
    'with the status %j is ignored',
    (status) => {
      expect(read(statusUpdate(status))).toEqual({ callId: 'call_1', message: undefined });
    },
  );
});

describe('a message without useful content', () => {
  const otherTypes =
    'conversation-update transcript tool-calls hang speech-update assistant.started END-OF-CALL-REPORT';
  it.each(['', ...otherTypes.split(' ')])('is dropped: %s', (type) => {
    expect(reportOf({ type })).toBeUndefined();
  });

  it.each([callWithoutCustomer, { ...call, customer: { number: '+91' } }, { ...call, id: undefined }, null])(
    'is dropped without our call id or the platform id: %#',
    (incomplete) => {
      expect(reportOf({ call: incomplete })).toBeUndefined();
    },
  );

  it('has our call id from its own members if the call has none', () => {
    const message = { ...reported, call: callWithoutCustomer, customer: { externalId: 'call_1' } };
    expect(read({ message })?.callId).toBe('call_1');
  });

  it('is dropped without an error, whatever it contains', () => {
    forAll([fc.anything()], (body) => {
      expect(read(body)).toBeUndefined();
      expect(read({ message: body })).toBeUndefined();
      expect(read({ message: { type: body, call: body, customer: body } })).toBeUndefined();
    });
  });
});

describe("the platform's record of a call", () => {
  const record = (more: object) => readVapiCall(vapiCallSchema.parse({ ...call, ...more }), now);

  it('is read like its report if the call has ended', () => {
    const { endedReason, startedAt, endedAt } = reported;
    expect(record({ endedReason, startedAt, endedAt, artifact })).toStrictEqual({
      ...reportOf({}),
      reported_at: call.updatedAt,
    });
  });

  it('is progress while the call runs, and is ignored with any other status', () => {
    const progress = { kind: 'progress', platform_id: call.id, status: 'in_progress' };
    expect(record({ status: 'in-progress' })).toStrictEqual(progress);
    const { startedAt } = reported;
    expect(record({ status: 'in-progress', startedAt })).toStrictEqual({ ...progress, at: startedAt });
    expect(record({ status: 'ringing', startedAt })).not.toHaveProperty('at');
    expect(record({ status: 'not-found' })).toBeUndefined();
    expect(record({ status: 7 })).toBeUndefined();
  });

  it('without an end has the time of its last change as its end', () => {
    expect(record({ endedReason: 'customer-busy' })).toMatchObject({ ended_at: call.updatedAt, outcome: 'busy' });
  });
});
