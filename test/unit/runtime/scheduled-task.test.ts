import '../support/silence.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { type Run, scheduledTask } from '../../../shared/runtime/scheduled-task.ts';
import { aContext } from '../support/lambda.ts';

async function run(
  event: { time?: string },
  task: (run: Run) => Promise<object> = async ({ now }) => ({ now: now() }),
) {
  return (await scheduledTask(task)(event, aContext())) as { now: Date; later?: Date };
}
const twice = async ({ now }: Run) => {
  const first = now();
  await wait(30);
  return { now: first, later: now() };
};

describe('a scheduled task', () => {
  it('runs at the time of its event, which advances during the run', async () => {
    const before = Date.now();
    const { now, later } = await run({ time: '2026-03-01T03:30:00Z' }, twice);
    const tookMs = Date.now() - before;
    const due = Date.parse('2026-03-01T03:30:00Z');
    expect(now.getTime() - due).toBeGreaterThanOrEqual(0);
    expect(now.getTime() - due).toBeLessThanOrEqual(tookMs);
    expect((later as Date).getTime() - now.getTime()).toBeGreaterThanOrEqual(25);
  });

  it.each([{}, { time: '' }, { time: 'tomorrow' }])(
    'runs at the present time if its event has no valid time: %j',
    async (event) => {
      const before = Date.now();
      const { now } = await run(event);
      expect(now.getTime()).toBeGreaterThanOrEqual(before);
      expect(now.getTime()).toBeLessThanOrEqual(Date.now());
    },
  );

  it('returns its report and knows its time limit', async () => {
    expect(await run({}, async ({ timeLeftMs }) => ({ left: timeLeftMs() }))).toEqual({ left: 25_000 });
  });

  it('fails if its task throws, so that the alarm is raised', async () => {
    const failing = run({}, async () => {
      throw new Error('half done');
    });
    await expect(failing).rejects.toThrow('half done');
  });
});
