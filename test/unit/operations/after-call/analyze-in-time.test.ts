import FakeTimers from '@sinonjs/fake-timers';
import fc from 'fast-check';
import { analyzeInTime } from '../../../../shared/operations/after-call/analysis/analyze-in-time.ts';
import type { Transact } from '../../../../shared/stores/dynamodb/transaction.ts';
import { analyzed, anEndedCall } from '../../support/ended-call.ts';

/** The time-out of the function in milliseconds. */
const STOPPED_MS = 29_000;
/** Milliseconds that are reserved for the write of the result. */
const WRITE_MS = 5_000;

let clock: ReturnType<typeof FakeTimers.install>;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const never = () => new Promise<never>(() => undefined);

/** A request whose reads take a given time on the clock of the test. */
function aRequest({ modelTimeoutMs = 24_000, readsMs = 0 } = {}) {
  const world = anEndedCall();
  const { deps, call } = world;
  const questions: { at: number; timeoutMs: number }[] = [];
  const began = performance.now();
  const elapsedMs = () => performance.now() - began;
  const request = {
    call,
    world,
    questions,
    elapsedMs,
    getTranscript: async (): Promise<string | undefined> => {
      if (readsMs > 0) await pause(readsMs);
      return world.transcript;
    },
    transact: world.deps.transact,
    /** @returns the answer, and its time in milliseconds since the start */
    async answer() {
      const { analyst: _, ...rest } = deps;
      const answering = analyzeInTime(
        {
          ...rest,
          files: { getTranscript: () => request.getTranscript() },
          transact: ((writes, options) => request.transact(writes, options)) as Transact,
          analystWithin: (timeoutMs) => ({
            analyze: async () => {
              questions.push({ at: elapsedMs(), timeoutMs });
              return world.model();
            },
          }),
          modelTimeoutMs,
          elapsedMs,
        },
        call,
      ).then(
        (outcome) => ({ outcome, at: elapsedMs() }),
        (error: Error) => ({ outcome: error, at: elapsedMs() }),
      );
      await clock.tickAsync(60_000);
      return Promise.race([answering, Promise.resolve('no answer' as const)]);
    },
  };
  return request;
}

beforeEach(() => {
  clock = FakeTimers.install();
});
afterEach(() => clock.uninstall());

describe('an analysis that a client waits for', () => {
  it('limits the model to the time that remains after the reads, minus the time for the write, at any time-out', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0, max: 30_000, noNaN: true }),
        fc.integer({ min: 100, max: 24_000 }),
        async (readsMs, modelTimeoutMs) => {
          const request = aRequest({ readsMs, modelTimeoutMs });
          const answer = await request.answer();
          expect(answer).toMatchObject({ at: expect.any(Number) });
          for (const { at, timeoutMs } of request.questions) {
            expect(Number.isInteger(timeoutMs)).toBe(true);
            expect(timeoutMs).toBeGreaterThanOrEqual(1);
            expect(timeoutMs).toBeLessThanOrEqual(modelTimeoutMs);
            expect(at + timeoutMs).toBeLessThanOrEqual(STOPPED_MS - WRITE_MS);
          }
        },
      ),
    );
  });

  it('gives the model its configured time if the reads are quick', async () => {
    const request = aRequest({ modelTimeoutMs: 6_000, readsMs: 100 });
    expect(await request.answer()).toMatchObject({ outcome: { kind: 'analyzed' } });
    expect(request.questions).toEqual([{ at: 100, timeoutMs: 6_000 }]);
  });

  it('is unavailable without a request to the model if the reads used all the time', async () => {
    const request = aRequest({ readsMs: 25_000 });
    const reason = 'no time left for the model';
    expect(await request.answer()).toMatchObject({ outcome: { kind: 'unavailable', reason, isOperatorFault: false } });
    expect(request.questions).toEqual([]);
    expect(request.world.stored()).toEqual(request.call);
  });

  it.each<[string, (request: ReturnType<typeof aRequest>) => object]>([
    ['a read', (request) => Object.assign(request, { getTranscript: never })],
    ['the model', ({ world }) => Object.assign(world, { model: never })],
    ['the write', (request) => Object.assign(request, { transact: never })],
  ])('is answered before the function times out if %s never ends', async (_name, hang) => {
    const request = aRequest();
    hang(request);
    const answer = await request.answer();
    const outcome = { kind: 'unavailable', reason: 'not done in time' };
    expect(answer).toMatchObject({ outcome, at: expect.any(Number) });
    expect((answer as { at: number }).at).toBeLessThan(STOPPED_MS);
  });

  it('starts no write after its answer, however often the call changes', async () => {
    const request = aRequest();
    const begun: number[] = [];
    request.world.answer(analyzed(), () => pause(23_000));
    request.transact = async () => {
      begun.push(request.elapsedMs());
      await pause(3_000);
      return { committed: false, refused: {} };
    };
    const answer = await request.answer();
    expect(answer).toMatchObject({ outcome: { kind: 'unavailable' } });
    expect(begun).toEqual([23_000, 26_000]);
  });
});
