import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clock, sleep } from '../../../shared/runtime/clock.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'clock-'));
  file = join(folder, 'offset');
});
afterEach(() => {
  delete process.env.CLOCK_FILE;
  rmSync(folder, { recursive: true });
});

/** Seconds by which the clock is ahead of the machine, rounded. */
const ahead = () => Math.round((clock().getTime() - Date.now()) / 1000) + 0;

describe('the clock of the service', () => {
  it('is the clock of the machine unless a file moves it', () => {
    expect(ahead()).toBe(0);
    process.env.CLOCK_FILE = file;
    expect(ahead()).toBe(0);
  });

  it('is moved at once by the seconds in the file, forward and back', () => {
    process.env.CLOCK_FILE = file;
    for (const seconds of [86_400, -3600, 0]) {
      writeFileSync(file, `${seconds}\n`);
      expect(ahead()).toBe(seconds);
    }
  });

  it('is the clock of the machine while the file contains no number', () => {
    process.env.CLOCK_FILE = file;
    for (const text of ['', 'tomorrow', 'NaN']) {
      writeFileSync(file, text);
      expect(ahead()).toBe(0);
    }
  });
});

describe('a wait', () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

  it('ends early, and leaves no timer behind', async () => {
    const before = timers();
    const isOver = new AbortController();
    const waiting = sleep(60_000, isOver.signal);
    expect(timers()).toBe(before + 1);
    isOver.abort();
    await waiting;
    await sleep(60_000, isOver.signal);
    expect(timers()).toBe(before);
  });
});
