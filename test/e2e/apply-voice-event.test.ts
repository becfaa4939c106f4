import type { PlatformMessage } from '../../shared/domain/calls/platform-message.ts';
import { anAcceptedCall, secondsAgo, tell } from '../support/accepted-call.ts';
import { anOrg, expectBalancedBooks, stores } from '../support/orgs.ts';
import { aPhoneNumber, endOf, placeCall, readCall } from '../support/rest.ts';
import { deadLettersOf, eventually, voice, workersAreIdle } from '../support/stack.ts';

const UNITS = 1_000;

/** The platform's messages for a call of exactly this many seconds: one millisecond more would be a second more. */
const messagesOf = (platform_id: string, seconds = 90): PlatformMessage[] => {
  const ended_at = secondsAgo(1);
  const started_at = new Date(Date.parse(ended_at) - seconds * 1000).toISOString();
  const reason = 'customer-ended-call';
  return [
    { kind: 'progress', platform_id, status: 'ringing' },
    { kind: 'progress', platform_id, status: 'in_progress' },
    { kind: 'hung_up', platform_id, at: ended_at, reason },
    { kind: 'report', platform_id, outcome: 'completed', reason, started_at, ended_at, transcript: 'AI: Namaste.' },
  ];
};

describe('apply-voice-event', () => {
  it('reaches the same end whatever the order of the messages, each delivered twice, and charges once', async () => {
    const org = await anOrg();
    const orders = [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [2, 0, 3, 1],
      [1, 3, 0, 2],
    ];
    const ends = await Promise.all(
      orders.map(async (order) => {
        const { callId, platformId } = await anAcceptedCall(org);
        const messages = messagesOf(platformId);
        for (const index of [...order, ...order]) await tell(callId, messages[index] as PlatformMessage);
        return endOf(org, callId);
      }),
    );
    expect(ends).toMatchObject(
      orders.map(() => ({ status: 'completed', duration: 90, cost: 2, ended_reason: 'customer-ended-call' })),
    );
    const books = await expectBalancedBooks(org.orgId);
    expect(books).toMatchObject({ held: 0, available: (1_000 - orders.length * 2) * UNITS });
    expect(books.entries.filter(({ kind }) => kind === 'settlement')).toHaveLength(orders.length);
    expect((await stores.slots.liveOfOrgs([org.orgId])).get(org.orgId)).toBe(0);
  });

  it('charges at most the hold, and records the cost beyond it', async () => {
    const org = await anOrg({ assistant: { max_duration_seconds: 60 } });
    const { callId, platformId } = await anAcceptedCall(org);
    const [, , , report] = messagesOf(platformId, 600);
    await tell(callId, report as PlatformMessage);
    expect(await endOf(org, callId)).toMatchObject({ duration: 600, cost: 1 });
    expect((await stores.calls.get(callId))?.beyond_hold).toBe(9 * UNITS);
    expect((await expectBalancedBooks(org.orgId)).available).toBe(999 * UNITS);
  });

  it('stores the transcript before the end is reported', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    await voice.script(phone_number, {
      behaviour: 'answer',
      transcript: [
        { role: 'bot', message: 'Namaste.' },
        { role: 'user', message: 'What does the flat cost?' },
      ],
    });
    const callId = await placeCall(org, { phone_number });
    await endOf(org, callId);
    const { transcript_key } = (await stores.calls.get(callId)) ?? {};
    expect(transcript_key).toBe(`transcripts/${org.orgId}/${callId}.txt`);
    expect(await stores.files.getTranscript(transcript_key ?? '')).toContain('What does the flat cost?');
  });

  it('ignores messages of a second platform call, and charges by the first', async () => {
    const org = await anOrg();
    const { callId, platformId } = await anAcceptedCall(org);
    const [, , , strange] = messagesOf('another-id');
    await tell(callId, strange as PlatformMessage);
    await tell(callId, { kind: 'progress', platform_id: platformId, status: 'ringing' });
    await eventually(
      () => readCall(org, callId),
      ({ status }) => status === 'ringing',
    );
    expect((await readCall(org, callId)).ended_at).toBeNull();
  });

  it('drops messages about unknown calls, without a dead letter', async () => {
    const before = await deadLettersOf('voice-events');
    await tell(`call_${'0'.repeat(32)}`, { kind: 'progress', platform_id: 'x', status: 'ringing' });
    await workersAreIdle();
    expect(await deadLettersOf('voice-events')).toBe(before);
  });
});
