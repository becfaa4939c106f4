import { isConnectedCrmB } from '../../shared/domain/connections/connection.ts';
import type { MissedSweep } from '../../shared/domain/connections/missed-sweep.ts';
import type { LeadIds } from '../../shared/integrations/crm-b/coql.ts';
import { catchUpSweep } from '../../shared/operations/connections/steps/catch-up-sweep.ts';
import { sundaySweep } from '../../shared/operations/leads/sunday-sweep.ts';
import { aToken } from '../support/connections/access-token.ts';
import type { QueueParts } from './queues.ts';
import type { Service } from './service.ts';

const DAY_MS = 24 * 60 * 60_000;
const SUNDAY = 0;
/** 09:00 IST (lib/functions.ts). */
const SWEEP_MS = 3.5 * 60 * 60_000;
const PAGE = 9;
/**
 * The pauses before the repeats of a failed run: Lambda makes the first two, and an operator the others, after the
 * alarm.
 */
const REPEATS_MS = [60_000, 120_000, 600_000];
/** check-watch-channels runs this often. */
const CHECK_MS = 15 * 60_000;

const isAwaited = (missed: MissedSweep | undefined) => missed !== undefined && missed.given_up_at === undefined;

/**
 * Runs the Sunday sweep of a world that begins on a Sunday, and simulates CRM-B's search for the leads of a
 * disposition.
 * @param leads how many leads CRM-B has @param isDown whether CRM-B answers no request
 */
export function sweepOf(
  { timeline, random, processes }: QueueParts,
  { deps, tables }: Service,
  { leads, isDown }: { leads: number; isDown: () => boolean },
) {
  const ids = Array.from({ length: leads }, (_, index) => index + 1).filter((number) => number % 10 === 0);
  const search = (after = 0): LeadIds => {
    if (isDown()) return { kind: 'unavailable', reason: 'down' };
    const page = ids.filter((number) => number > after).slice(0, PAGE);
    const last = page.at(-1);
    const isLast = last === undefined || last === ids.at(-1);
    return { kind: 'found', ids: page.map((number) => `L${number}`), ...(!isLast && { next: String(last) }) };
  };
  const sweepDeps = {
    ...deps,
    accessTo: () => ({ apiDomain: 'https://crm.example', token: async () => aToken('token') }),
    leadsWithDisposition: (_access: unknown, { after }: { after?: string }) =>
      processes.request({ what: () => `searches after ${after}`, act: () => search(Number(after ?? 0)), ms: 900 }),
  };
  const missed = () =>
    tables
      .all('connections')
      .flatMap(({ connection_id, missed_sweep }) =>
        isAwaited(missed_sweep as MissedSweep | undefined) ? [String(connection_id)] : [],
      );
  const catchUp = async (connectionId: string): Promise<void> => {
    const connection = await deps.connections.get(connectionId);
    if (isConnectedCrmB(connection)) await catchUpSweep(sweepDeps, connection, !isDown());
  };
  let isOver = true;
  const begin = (): void => {
    if (timeline.date().getUTCDay() !== SUNDAY || timeline.ms % DAY_MS > SWEEP_MS) return;
    isOver = false;
    timeline.after(SWEEP_MS - (timeline.ms % DAY_MS), async () => {
      const pause = (ms: number) => new Promise<void>((resolve) => timeline.after(ms, resolve));
      for (let run = 0; !(await processes.run('sunday-sweep', () => sundaySweep(sweepDeps))); run += 1) {
        const pauseMs = REPEATS_MS[Math.min(run, REPEATS_MS.length - 1)] ?? 0;
        await pause(pauseMs + random.whole(0, 999));
      }
      for (let left = missed(); left.length > 0; left = missed()) {
        await pause(CHECK_MS);
        await processes.run('check-watch-channels', () => Promise.all(left.map(catchUp)));
      }
      isOver = true;
    });
  };
  return { begin, isOver: () => isOver };
}
