import type { DialRequest, ReadMessage, VoicePlatform } from '../../shared/integrations/voice/voice-platform.ts';
import { eventually } from '../local/support/eventually.ts';

/** A platform for an adapter's test, and the means to control it. */
export type VoicePlatformHarness = {
  platform: VoicePlatform;
  /** The same adapter, which waits briefly for an answer. */
  impatient: VoicePlatform;
  /** The same adapter with a port without a listener. */
  unreachable: VoicePlatform;
  /** Sets the platform's behaviour for the next calls to this number. */
  behave(phoneNumber: string, behaviour: Behaviour): Promise<void>;
  /** How often the phone rang. */
  rings(phoneNumber: string): Promise<number>;
  /** The number of dial requests for this number, including refused ones. */
  requests(phoneNumber: string): Promise<number>;
  /** Creates other calls at the platform, so that a lookup has to read several pages. */
  crowd(calls: number, request: () => DialRequest): Promise<void>;
  /** The address that receives the platform's messages. */
  reportsUrl: string;
  /** The platform's messages, as the adapter reads them. */
  messages(): ReadMessage[];
  stop(): Promise<void>;
};

export type Behaviour =
  | 'answers'
  | 'rings long'
  | 'refuses'
  | 'is out of requests'
  | 'refuses the key'
  | 'wants money'
  | 'fails without dialing'
  | 'fails after dialing'
  | 'never answers but dials'
  | 'drops the answer after dialing'
  | 'has no recording';

let made = 10_000_000;
const next = () => {
  made += 1;
  return made;
};
const aNumber = () => `+9197${next()}`;
const anId = () => `call_${String(next()).padStart(32, '0')}`;

const aMinute = 60_000;
const aroundNow = () => ({ from: new Date(Date.now() - 2 * aMinute), to: new Date(Date.now() + aMinute) });

/**
 * The promises of every voice platform's adapter, on which the operations rely.
 */
export function voicePlatformContract(name: string, start: () => Promise<VoicePlatformHarness>): void {
  describe(`${name} as a voice platform`, () => {
    let harness: VoicePlatformHarness;
    beforeAll(async () => {
      harness = await start();
    });
    afterAll(() => harness.stop());

    const request = (phoneNumber: string, callId = anId()): DialRequest => ({
      callId,
      phoneNumber,
      voiceNumberId: undefined,
      assistantName: 'Asha',
      prompt: 'Be kind.',
      firstMessage: 'Namaste.',
      voice: undefined,
      language: undefined,
      transferNumber: undefined,
      maxDurationSeconds: 600,
      reports: { url: 'http://127.0.0.1:9/nobody', headers: {} },
    });

    const dial = async (behaviour: Behaviour) => {
      const phone = aNumber();
      await harness.behave(phone, behaviour);
      const dialed = request(phone);
      const platform = behaviour === 'never answers but dials' ? harness.impatient : harness.platform;
      return { phone, callId: dialed.callId, outcome: await platform.dial(dialed) };
    };

    const acceptedCall = async (behaviour: Behaviour) => {
      const { outcome, ...rest } = await dial(behaviour);
      if (outcome.kind !== 'accepted') throw new Error(outcome.kind);
      return { ...rest, platformId: outcome.platformId };
    };

    /** The platform completes its record some time after the end. */
    const untilEnded = (platformId: string, { withTranscript = false } = {}) =>
      eventually(async () => {
        const read = await harness.platform.read(platformId);
        if (read.kind !== 'known' || read.message.kind !== 'report') throw new Error('the call did not end');
        if (withTranscript && !read.message.transcript) throw new Error('no transcript came');
        return read.message;
      });

    describe('dial', () => {
      it('is accepted with the platform id and rings once', async () => {
        const { phone, platformId } = await acceptedCall('answers');
        expect(platformId).toMatch(/./);
        await untilEnded(platformId);
        expect(await harness.rings(phone)).toBe(1);
      });

      it.each([
        ['refuses', { kind: 'refused' }, 0],
        ['is out of requests', { kind: 'not_dialed', isOperatorFault: false }, 0],
        ['refuses the key', { kind: 'not_dialed', isOperatorFault: true }, 0],
        ['wants money', { kind: 'not_dialed', isOperatorFault: true }, 0],
        ['fails without dialing', { kind: 'unknown' }, 0],
        ['fails after dialing', { kind: 'unknown' }, 1],
        ['never answers but dials', { kind: 'unknown' }, 1],
        ['drops the answer after dialing', { kind: 'unknown' }, 1],
      ] as const)(
        'where the platform %s, is sent once, and its outcome is known',
        async (behaviour, outcome, rings) => {
          const { phone, outcome: actual } = await dial(behaviour);
          expect(actual).toMatchObject(outcome);
          expect(await harness.requests(phone)).toBe(1);
          expect(await harness.rings(phone)).toBe(rings);
        },
      );

      it('has not dialed if no server listens', async () => {
        expect(await harness.unreachable.dial(request(aNumber()))).toMatchObject({
          kind: 'not_dialed',
          isOperatorFault: false,
        });
      });
    });

    describe('find', () => {
      it('finds by our id a call whose answer was lost', async () => {
        const { callId } = await dial('drops the answer after dialing');
        expect(await harness.platform.find(callId, aroundNow(), new Set())).toMatchObject({ kind: 'found' });
      });

      it('finds a call behind hundreds of others, and proves an absence among them', async () => {
        const { callId } = await dial('drops the answer after dialing');
        await harness.crowd(250, () => request(aNumber()));
        expect(await harness.platform.find(callId, aroundNow(), new Set())).toMatchObject({ kind: 'found' });
        expect(await harness.platform.find(anId(), aroundNow(), new Set())).toEqual({ kind: 'absent' });
      });

      it('skips attempts that have ended', async () => {
        const { callId, platformId } = await acceptedCall('answers');
        expect(await harness.platform.find(callId, aroundNow(), new Set([platformId]))).toEqual({ kind: 'absent' });
      });

      it('does not search outside its time window', async () => {
        const { callId } = await acceptedCall('answers');
        const before = { from: new Date(Date.now() - 60 * aMinute), to: new Date(Date.now() - 30 * aMinute) };
        expect(await harness.platform.find(callId, before, new Set())).toEqual({ kind: 'absent' });
      });

      it('proves no absence if no server listens', async () => {
        expect(await harness.unreachable.find(anId(), aroundNow(), new Set())).toMatchObject({ kind: 'unknown' });
      });
    });

    describe('read', () => {
      it('returns the progress of a running call', async () => {
        const { platformId } = await acceptedCall('rings long');
        await new Promise((resolve) => setTimeout(resolve, 200));
        expect(await harness.platform.read(platformId)).toMatchObject({
          kind: 'known',
          message: { kind: 'progress', platform_id: platformId },
        });
        await harness.platform.hangUp(platformId);
      });

      it('returns the end of a call as its report does', async () => {
        const { platformId } = await acceptedCall('answers');
        const report = await untilEnded(platformId, { withTranscript: true });
        expect(report).toMatchObject({
          platform_id: platformId,
          outcome: 'completed',
          transcript: expect.stringMatching(/./),
        });
        expect(Date.parse(report.ended_at)).toBeGreaterThan(Date.parse(report.started_at ?? ''));
      });

      it('distinguishes an unknown call from a platform that does not answer', async () => {
        expect(await harness.platform.read('00000000-0000-4000-8000-000000000000')).toEqual({ kind: 'not_found' });
        expect(await harness.unreachable.read('00000000-0000-4000-8000-000000000000')).toMatchObject({
          kind: 'unknown',
        });
      });
    });

    describe('hangUp', () => {
      it('ends a live call, and reports a call that has already ended', async () => {
        const { platformId } = await acceptedCall('rings long');
        expect(await harness.platform.hangUp(platformId)).toBe(true);
        await untilEnded(platformId);
        expect(await harness.platform.hangUp(platformId)).toBe(false);
      });
    });

    describe('recording', () => {
      it('is audio with its size', async () => {
        const { platformId } = await acceptedCall('answers');
        await untilEnded(platformId);
        const recording = await harness.platform.recording(platformId);
        if (recording.kind !== 'found') throw new Error(recording.kind);
        const audio = Buffer.concat(await recording.body.toArray());
        expect(recording.contentType).toMatch(/^audio\//);
        expect(audio.length).toBe(recording.contentLength);
      });

      it('is reported as missing if none exists', async () => {
        const { platformId } = await acceptedCall('has no recording');
        await untilEnded(platformId);
        expect(await harness.platform.recording(platformId)).toEqual({ kind: 'not_there' });
      });
    });

    describe('its messages', () => {
      it('have our call id, through progress and hang-up to exactly one report', async () => {
        const phone = aNumber();
        await harness.behave(phone, 'answers');
        const dialed = request(phone);
        await harness.platform.dial({ ...dialed, reports: { url: harness.reportsUrl, headers: {} } });
        const ours = () => harness.messages().filter(({ callId }) => callId === dialed.callId);
        const kinds = () => ours().map(({ message }) => message.kind);
        await eventually(() => expect(kinds()).toContain('report'));
        expect(kinds()).toEqual(expect.arrayContaining(['progress', 'hung_up', 'report']));
        expect(kinds().filter((kind) => kind === 'report')).toHaveLength(1);
      });
    });
  });
}
