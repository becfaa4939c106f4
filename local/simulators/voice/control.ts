import { setTimeout as sleep } from 'node:timers/promises';
import { controlOf } from '../control.ts';
import type { CallView } from './control-routes.ts';
import type { Script, Settings } from './scripts.ts';
import type { ReceivedRequest } from './state.ts';

/** Directs a running simulator from a test. */
export function voiceControl(url: string) {
  const ask = controlOf('voice', url);
  const of = (number?: string) => (number === undefined ? '' : `?number=${encodeURIComponent(number)}`);

  return {
    /** What the number does: the first script for its first attempt and so on; the last one stays. */
    async script(number: string, ...scripts: [Script, ...Script[]]): Promise<void> {
      await ask('PUT', `scripts/${encodeURIComponent(number)}`, { scripts });
    },
    /** What every other number does. */
    async defaultScript(script: Script): Promise<void> {
      await ask('PUT', 'default-script', script);
    },
    /** Changes some settings and returns all. */
    settings(settings: Partial<Settings>): Promise<Settings> {
      return ask('PUT', 'settings', settings);
    },
    /** How often the phone was dialed through to: answered, unanswered, busy or voicemail. */
    async rings(number: string): Promise<number> {
      return (await ask<{ rings: number }>('GET', `rings${of(number)}`)).rings;
    },
    allRings(): Promise<{ total: number; byNumber: Record<string, number> }> {
      return ask('GET', 'rings');
    },
    /** Accepted calls, oldest first. */
    async calls(number?: string): Promise<CallView[]> {
      return (await ask<{ calls: CallView[] }>('GET', `calls${of(number)}`)).calls;
    },
    /** Every valid POST /call, also those that were refused or not answered. */
    async requests(number?: string): Promise<ReceivedRequest[]> {
      return (await ask<{ requests: ReceivedRequest[] }>('GET', `requests${of(number)}`)).requests;
    },
    /** The most calls that were live at the same time. */
    async maxLive(): Promise<number> {
      return (await ask<{ maxLive: number }>('GET', 'max-live')).maxLive;
    },
    /** Waits until every call is over and every message is delivered or given up. */
    async untilIdle(timeoutMs = 60_000): Promise<void> {
      let pauseMs = 5;
      for (const end = Date.now() + timeoutMs; ; await sleep(pauseMs)) {
        pauseMs = Math.min(100, 1.2 * pauseMs);
        if ((await ask<{ idle: boolean }>('GET', 'idle')).idle) return;
        if (Date.now() > end) throw new Error(`The voice simulator is still busy after ${timeoutMs} ms.`);
      }
    },
    /** Forgets calls, scripts, settings and counts. */
    async reset(): Promise<void> {
      await ask('POST', 'reset');
    },
  };
}
