import { describe, expect, it } from '@jest/globals';
import { Vapi } from '@vapi-ai/server-sdk';
import fc from 'fast-check';
import { platformMessageSchema } from '../../../shared/domain/calls/platform-message.ts';
import { readVapiCall, readVapiMessage, vapiCallSchema } from '../../../shared/integrations/voice/vapi/messages.ts';

const now = new Date('2026-03-02T06:10:00.000Z');
const TIMESTAMP = Date.parse('2026-03-02T06:02:06.000Z');
const documentedReasons: string[] = Object.values(Vapi.ServerMessageEndOfCallReportEndedReason);

/** A call inside a message as the platform sends it, with many members that we must not store. */
const call = {
  id: '7f0e6b7c-6a0d-4c6b-9d0e-0d6b1a2c3d4e',
  orgId: 'vendor-org',
  type: 'outboundPhoneCall',
  status: 'ended',
  createdAt: '2026-03-02T06:00:02.000Z',
  updatedAt: '2026-03-02T06:02:07.000Z',
  cost: 0.21,
  costBreakdown: { transport: 0.01, llm: 0.02 },
  assistant: {
    model: { messages: [{ role: 'system', content: 'SECRET PROMPT' }] },
    server: { url: 'https://calls.example', headers: { 'x-call-signature': 'SECRET SIGNATURE' } },
    metadata: { callId: 'call_other' },
  },
  phoneNumberId: 'number-1',
  customer: { number: '+919812345678', name: 'Asha', externalId: 'call_1' },
  phoneCallProviderId: 'CA1',
  transport: { accountSid: 'SECRET SID' },
  monitor: { listenUrl: 'wss://SECRET', controlUrl: 'https://SECRET' },
};
const artifact = {
  transcript: 'AI: Hello!\nUser: Hi.\n',
  messages: [{ role: 'bot', message: 'Hello!', time: 1, endTime: 2, secondsFromStart: 0 }],
  recordingUrl: 'https://SECRET/recording.wav',
  presignedMonoUrl: 'https://SECRET',
  variableValues: { customer: { number: '+919812345678' } },
};
const report = {
  message: {
    type: 'end-of-call-report',
    timestamp: TIMESTAMP,
    endedReason: 'customer-ended-call',
    startedAt: '2026-03-02T06:00:10.000Z',
    endedAt: '2026-03-02T06:02:05.250Z',
    cost: 0.21,
    costs: [{ type: 'transport', cost: 0.01 }],
    durationSeconds: 999,
    transcript: 'not this one',
    summary: 'nor this',
    analysis: { summary: 'SECRET', successEvaluation: 'true', structuredData: {} },
    artifact,
    call,
    customer: { number: '+919812345678' },
    phoneNumber: { twilioAuthToken: 'SECRET TOKEN' },
    assistant: { firstMessage: 'SECRET' },
  },
};
const statusUpdate = (status: unknown, more: object = {}) => ({
  message: { type: 'status-update', timestamp: TIMESTAMP, status, call: { ...call, status }, ...more },
});
const read = (body: unknown) => readVapiMessage(body, now);
const reportOf = (more: object) => read({ message: { ...report.message, ...more } })?.message;

describe('an end-of-call report', () => {
  it('is read as a whole, and only the members that we store remain', () => {
    expect(read(report)).toStrictEqual({
      callId: 'call_1',
      message: {
        kind: 'report',
        platform_id: call.id,
        outcome: 'completed',
        reason: 'customer-ended-call',
        started_at: '2026-03-02T06:00:10.000Z',
        ended_at: '2026-03-02T06:02:05.250Z',
        transcript: artifact.transcript,
      },
    });
  });

  it('uses its own members before those of the call inside it', () => {
    const inside = {
      ...call,
      endedReason: 'voicemail',
      startedAt: '2026-03-02T05:00:00.000Z',
      endedAt: '2026-03-02T05:01:00.000Z',
      artifact: { transcript: 'inside' },
    };
    expect(reportOf({ call: inside })).toMatchObject({
      reason: 'customer-ended-call',
      transcript: artifact.transcript,
    });
    const bare = { type: 'end-of-call-report', timestamp: TIMESTAMP, call: inside };
    expect(read({ message: bare })?.message).toStrictEqual({
      kind: 'report',
      platform_id: call.id,
      outcome: 'no_answer',
      reason: 'voicemail',
      started_at: '2026-03-02T05:00:00.000Z',
      ended_at: '2026-03-02T05:01:00.000Z',
      transcript: 'inside',
    });
  });

  it('without times ends at the latest now, without a connection', () => {
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

  it('of a call that cannot have connected has no start, whatever startedAt contains', () => {
    for (const endedReason of [
      'customer-busy',
      'customer-did-not-answer',
      'twilio-failed-to-connect-call',
      'call.start.error-get-assistant',
    ])
      expect(reportOf({ endedReason })).not.toHaveProperty('started_at');
    for (const endedReason of ['customer-ended-call', 'voicemail', 'pipeline-no-available-llm-model'])
      expect(reportOf({ endedReason })).toHaveProperty('started_at');
  });

  it('is read although one member is malformed', () => {
    const odd = fc.oneof(
      fc.constant(null),
      fc.constant(9e15),
      fc.boolean(),
      fc.constant([]),
      fc.constant({}),
      fc.constant('?'),
    );
    fc.assert(
      fc.property(odd, odd, odd, odd, odd, odd, (endedReason, startedAt, endedAt, timestamp, oddArtifact, customer) => {
        const message = reportOf({ endedReason, startedAt, endedAt, timestamp, artifact: oddArtifact, customer });
        expect(platformMessageSchema.parse(message)).toStrictEqual(message);
        expect(message).toMatchObject({ kind: 'report', platform_id: call.id });
      }),
      { numRuns: 500 },
    );
  });
});

describe('the reason of an end', () => {
  it.each([
    [
      'completed',
      [
        'customer-ended-call',
        'assistant-ended-call',
        'silence-timed-out',
        'exceeded-max-duration',
        'assistant-said-end-call-phrase',
      ],
    ],
    [
      'completed',
      [
        'call.in-progress.error-transfer-failed',
        'call.in-progress.error-warm-transfer-max-duration',
        'call.forwarding.operator-busy',
      ],
    ],
    ['transferred', ['assistant-forwarded-call']],
    [
      'no_answer',
      [
        'customer-did-not-answer',
        'voicemail',
        'call.in-progress.error-providerfault-outbound-sip-480-temporarily-unavailable',
      ],
    ],
    ['busy', ['customer-busy']],
    [
      'failed',
      [
        'twilio-failed-to-connect-call',
        'vonage-rejected',
        'call.in-progress.error-providerfault-outbound-sip-403-forbidden',
        'worker-shutdown',
      ],
    ],
    ['failed', ['call.start.error-fraud-check-failed', 'assistant-not-found']],
    ['canceled', ['manually-canceled', 'scheduled-call-deleted', 'call-deleted']],
    [
      'not_dialed',
      [
        'call.start.error-subscription-concurrency-limit-reached',
        'call.start.error-subscription-insufficient-credits',
        'call.start.error-subscription-frozen',
        'call.start.error-vapi-number-outbound-daily-limit',
      ],
    ],
  ])('gives %s: %j', (outcome, reasons) => {
    for (const endedReason of reasons)
      expect([endedReason, reportOf({ endedReason })]).toMatchObject([endedReason, { outcome }]);
  });

  it('is stored as the platform sent it, and every documented one is understood', () => {
    expect(documentedReasons.length).toBeGreaterThan(500);
    for (const endedReason of documentedReasons) {
      const message = reportOf({ endedReason });
      expect(platformMessageSchema.parse(message)).toMatchObject({ kind: 'report', reason: endedReason });
      // A call is dialed again only if it provably rang no phone.
      if (message?.kind === 'report' && message.outcome === 'not_dialed')
        expect(endedReason).toMatch(/^call\.start\.error-(subscription-|vapi-number-outbound-daily-limit$)/);
      if (endedReason.startsWith('call.start.error-')) expect(message).not.toHaveProperty('started_at');
    }
  });

  it('that is unknown is a failure and never causes another dial', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('constructor', '__proto__', 'toString', 'hasOwnProperty')),
        (endedReason) => {
          fc.pre(!documentedReasons.includes(endedReason));
          expect(reportOf({ endedReason })).toMatchObject({ outcome: 'failed', reason: endedReason });
        },
      ),
    );
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
      message: { kind: 'progress', platform_id: call.id, status: ours },
    });
  });

  it('ended is a hang-up, not the end', () => {
    expect(read(statusUpdate('ended', { endedReason: 'customer-ended-call' }))).toStrictEqual({
      callId: 'call_1',
      message: {
        kind: 'hung_up',
        platform_id: call.id,
        at: '2026-03-02T06:02:06.000Z',
        reason: 'customer-ended-call',
      },
    });
    expect(read(statusUpdate('ended', { timestamp: undefined }))?.message).toMatchObject({
      at: now.toISOString(),
      reason: 'unknown',
    });
  });

  it('with any documented status except not-found is understood', () => {
    for (const status of Object.values(Vapi.ServerMessageStatusUpdateStatus) as string[])
      expect([status, read(statusUpdate(status)) !== undefined]).toEqual([
        status,
        !['not-found', 'deletion-failed'].includes(status),
      ]);
  });

  it.each(['', 'constructor', '__proto__', 'IN-PROGRESS', 7, null, undefined, {}])(
    'with the status %j is ignored',
    (status) => {
      expect(read(statusUpdate(status))).toBeUndefined();
    },
  );
});

describe('a message without useful content', () => {
  it.each([
    'conversation-update',
    'transcript',
    'tool-calls',
    'hang',
    'speech-update',
    'assistant.started',
    'END-OF-CALL-REPORT',
    '',
  ])('is dropped: %s', (type) => {
    expect(read({ message: { ...report.message, type } })).toBeUndefined();
  });

  it('is dropped without our call id or the platform id', () => {
    const { customer, ...withoutCustomer } = call;
    const { customer: _own, ...bare } = report.message;
    expect(read({ message: { ...bare, call: withoutCustomer } })).toBeUndefined();
    expect(read({ message: { ...bare, call: { ...call, customer: { number: '+91' } } } })).toBeUndefined();
    expect(read({ message: { ...bare, call: { ...call, id: undefined } } })).toBeUndefined();
    expect(read({ message: { ...bare, call: null } })).toBeUndefined();
  });

  it('has our call id from its own members if the call lacks it', () => {
    const { customer, ...withoutCustomer } = call;
    expect(reportOf({ call: withoutCustomer, customer: { externalId: 'call_1' } })).toBeDefined();
  });

  it('is dropped without an error, whatever its contents', () => {
    fc.assert(
      fc.property(fc.anything(), (body) => {
        expect(read(body)).toBeUndefined();
        expect(read({ message: body })).toBeUndefined();
        expect(read({ message: { type: body, call: body, customer: body } })).toBeUndefined();
      }),
    );
  });
});

describe("the platform's record of a call", () => {
  const record = (more: object) => readVapiCall(vapiCallSchema.parse({ ...call, ...more }), now);

  it('is read like its report if the call has ended', () => {
    const { endedReason, startedAt, endedAt } = report.message;
    expect(record({ endedReason, startedAt, endedAt, artifact })).toStrictEqual(read(report)?.message);
  });

  it('is progress while the call runs, and is ignored with any other status', () => {
    expect(record({ status: 'in-progress' })).toStrictEqual({
      kind: 'progress',
      platform_id: call.id,
      status: 'in_progress',
    });
    expect(record({ status: 'not-found' })).toBeUndefined();
    expect(record({ status: 7 })).toBeUndefined();
  });

  it('without an end has the time of its last change as its end', () => {
    expect(record({ endedReason: 'customer-busy' })).toMatchObject({ ended_at: call.updatedAt, outcome: 'busy' });
  });
});
