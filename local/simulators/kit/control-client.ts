import { setTimeout as sleep } from 'node:timers/promises';
import type { Armed } from './faults.ts';

export type ControlRequest = <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>;

/**
 * Sends requests to a simulator's control routes.
 * @param name of the simulator @throws if they refuse, or do not answer within `timeoutMs`
 */
export function controlClient(name: string, url: string, timeoutMs = 60_000): ControlRequest {
  return async <Answer>(method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}/_simulator/${path}`, {
      method,
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new Error(`The ${name} simulator refused ${method} ${path}: ${await response.text()}`);
    return (await response.json()) as Answer;
  };
}

/** Adds a query to the path of a control route. Undefined values are omitted. */
export function withQuery(path: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`;
}

/** Controls the routes of `journalRoutes`. */
export const journalControl = <Seen, Fault>(request: ControlRequest) => ({
  /** The requests of the vendor's routes, or of one such as `GET /crm/v8/Leads/{id}`, oldest first. */
  async requests(route?: string): Promise<Seen[]> {
    return (await request<{ requests: Seen[] }>('GET', withQuery('requests', { route }))).requests;
  },
  /** The maximum number of concurrent API requests: of all, or of a route or another key. */
  async mostInFlight(key = 'all'): Promise<number> {
    return (await request<Record<string, number>>('GET', 'most-in-flight'))[key] ?? 0;
  },
  async fault(fault: Fault): Promise<void> {
    await request('POST', 'faults', fault);
  },
  async faults(): Promise<Armed<Fault>[]> {
    return (await request<{ faults: Armed<Fault>[] }>('GET', 'faults')).faults;
  },
  async clearFaults(): Promise<void> {
    await request('DELETE', 'faults');
  },
});

/** Waits until a simulator has no work and no delivery left. @throws after `timeoutMs` */
export async function untilIdle(request: ControlRequest, timeoutMs: number): Promise<void> {
  let pauseMs = 5;
  for (const end = Date.now() + timeoutMs; ; await sleep(pauseMs)) {
    pauseMs = Math.min(100, 1.2 * pauseMs);
    if ((await request<{ idle: boolean }>('GET', 'idle')).idle) return;
    if (Date.now() > end) throw new Error(`The simulator is still busy after ${timeoutMs} ms.`);
  }
}
