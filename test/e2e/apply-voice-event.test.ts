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

function permutations<T>(items: T[]): T[][] {
  if (items.length <= 1) return [items];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

describe('apply-voice-event', () => {
  it('reaches the same end in every order of the messages, each delivered twice', async () => {
    const org = await anOrg();
    const orders = permutations([0, 1, 2, 3]);
    for (let start = 0; start < orders.length; start += 8) {
      const ends = await Promise.all(
        orders.slice(start, start + 8).map(async (order) => {
          const { callId, platformId } = await anAcceptedCall(org);
          const messages = messagesOf(platformId);
          for (const index of [...order, ...order]) await tell(callId, messages[index] as PlatformMessage);
          const { status, duration, cost, ended_reason } = await endOf(org, callId);
          return { status, duration, cost, ended_reason };
        }),
      );
      expect(new Set(ends.map((end) => JSON.stringify(end)))).toEqual(
        new Set([JSON.stringify({ status: 'completed', duration: 90, cost: 2, ended_reason: 'customer-ended-call' })]),
      );
    }
    const books = await expectBalancedBooks(org.orgId);
    expect(books).toMatchObject({ held: 0, available: (1_000 - 24 * 2) * UNITS });
    expect(books.entries.filter(({ kind }) => kind === 'settlement')).toHaveLength(24);
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
