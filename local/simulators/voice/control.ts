import { controlClient, untilIdle, withQuery } from '../kit/control-client.ts';
import type { ReceivedRequest } from './model.ts';
import type { CallView } from './routes/control.ts';
import type { Script, Settings } from './scripts.ts';

/** Controls a running voice platform. */
export function voiceControl(url: string) {
  const request = controlClient('voice', url);

  return {
    /** Sets the scripts of a number's attempts, in order. The last one is repeated. */
    async script(number: string, ...scripts: [Script, ...Script[]]): Promise<void> {
      await request('PUT', `scripts/${encodeURIComponent(number)}`, { scripts });
    },
    /** Sets the script of every other number. */
    async defaultScript(script: Script): Promise<void> {
      await request('PUT', 'default-script', script);
    },
    /** Changes some settings and returns all. */
    settings(settings: Partial<Settings>): Promise<Settings> {
      return request('PUT', 'settings', settings);
    },
    /** Counts how often the phone rang, answered or not. */
    async rings(number: string): Promise<number> {
      return (await request<{ rings: number }>('GET', withQuery('rings', { number }))).rings;
    },
    allRings(): Promise<{ total: number; byNumber: Record<string, number> }> {
      return request('GET', 'rings');
    },
    /** Returns the accepted calls, oldest first. */
    async calls(number?: string): Promise<CallView[]> {
      return (await request<{ calls: CallView[] }>('GET', withQuery('calls', { number }))).calls;
    },
    /** Returns every valid POST /call, even refused and unanswered ones. */
    async requests(number?: string): Promise<ReceivedRequest[]> {
      return (await request<{ requests: ReceivedRequest[] }>('GET', withQuery('requests', { number }))).requests;
    },
    /** The most calls that were live at the same time. */
    async maxLive(): Promise<number> {
      return (await request<{ maxLive: number }>('GET', 'max-live')).maxLive;
    },
    /** Waits until every call is over and every message is delivered or given up. */
    untilIdle(timeoutMs = 60_000): Promise<void> {
      return untilIdle(request, timeoutMs);
    },
    /** Forgets calls, scripts, settings and counts. */
    async reset(): Promise<void> {
      await request('POST', 'reset');
    },
  };
}
