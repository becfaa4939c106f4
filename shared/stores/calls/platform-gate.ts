import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import type { Closing, PlatformGate } from '../../domain/calls/platform/platform-gate.ts';
import { newToken } from '../../domain/ids.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import { readItem } from '../dynamodb/reads.ts';
import type { Item } from '../dynamodb/transaction.ts';
import { type Condition, isStill } from '../dynamodb/update.ts';

export type PlatformGateStore = ReturnType<typeof platformGateStore>;
export type GateStore = ReturnType<typeof gateAt>;

/** The scopes of the gates: of the whole stage, and of one calling number. */
const PLATFORM = 'platform';
const numberScope = (numberId: string | undefined) => `number#${numberId ?? 'default'}`;

const MAX_TRIES = 4;

const gateSchema = z.object({
  closed_until: z.optional(z.string()),
  closings: z.optional(z.number()),
  opened_at: z.optional(z.string()),
  probe_until: z.optional(z.string()),
  dials: z.optional(z.number()),
  failures: z.optional(z.number()),
  window_at: z.optional(z.string()),
  window_dials: z.optional(z.number()),
  window_failures: z.optional(z.number()),
});

/** One gate, in the Slots table. */
function gateAt(db: DynamoDBDocumentClient, table: string, scope: string) {
  const writes = conditionalTable(db, table);
  const key = { scope };

  /**
   * Changes the gate. `changed_by` names this write, so that a repeat of it by the SDK succeeds. @returns false if it
   * is refused
   */
  const change = (set: Item, remove: string[], conditions: Condition[]): Promise<boolean> => {
    const by = newToken();
    const asRead = conditions.map(({ expression }) => expression).join(' AND ');
    return writes.tryUpdate(key, { set: { ...set, changed_by: by }, remove }, [
      {
        expression: `changed_by = :by OR (${asRead})`,
        values: Object.assign({ by }, ...conditions.map(({ values }) => values)),
      },
    ]);
  };

  return {
    /** Reads consistently. */
    async read(): Promise<PlatformGate> {
      return gateSchema.parse((await readItem(db, table, key)) ?? {});
    },

    /** Leases the probe of a half-open gate. @param gate as read. @returns false if another worker has it. */
    takeProbe: (gate: PlatformGate, until: string): Promise<boolean> =>
      change({ probe_until: until }, [], [is('closed_until', gate), is('probe_until', gate)]),

    /** Ends the lease of a probe that did not dial. @param probe the lease's end. */
    giveBackProbe: (probe: string): Promise<boolean> =>
      change({}, ['probe_until'], [is('probe_until', { probe_until: probe })]),

    /** Closes the gate. @param gate as read. @returns false if another worker has changed it since. */
    close: (gate: PlatformGate, { closed_until, closings }: Closing): Promise<boolean> =>
      change(
        { closed_until, closings },
        ['probe_until', 'opened_at', ...counts],
        [is('closed_until', gate), is('probe_until', gate)],
      ),

    /** Opens the gate. @param probe the end of the successful probe's lease. @returns false if that lease is gone. */
    open: (probe: string, now: string): Promise<boolean> =>
      change(
        { opened_at: now },
        ['closed_until', 'probe_until', ...counts],
        [is('probe_until', { probe_until: probe })],
      ),
  };
}

/** Accesses the gates before the voice platform and before its calling numbers, and the moments of the dials. */
export function platformGateStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  const key = { scope: PLATFORM };

  /** Takes the next moment of a scope. @returns the instant of the dial, in milliseconds */
  const takeMoment = async (scope: string, rate: number, now: number): Promise<number> => {
    if (!Number.isFinite(rate)) return now;
    const intervalMs = 1000 / rate;
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const isFree = { expression: 'attribute_not_exists(next_dial_ms) OR next_dial_ms <= :now', values: { now } };
      if (await writes.tryUpdate({ scope }, { set: { next_dial_ms: now + intervalMs } }, [isFree])) return now;
      const behind = await writes.tryUpdateReturning('ALL_NEW', { scope }, { add: { next_dial_ms: intervalMs } }, [
        { expression: 'next_dial_ms > :now', values: { now } },
      ]);
      if (behind) return Number(behind.next_dial_ms) - intervalMs;
    }
    return now;
  };

  return {
    ...gateAt(db, table, PLATFORM),

    /** The gate of one calling number. @param numberId undefined for the account's default number. */
    ofNumber: (numberId: string | undefined): GateStore => gateAt(db, table, numberScope(numberId)),

    /**
     * Takes the next moment of the stage and of a calling number.
     * @param numberId undefined for the account's default number @param rates in dials per second; infinite for no
     * limit
     * @returns the instant of the dial in milliseconds
     */
    async takeMoment(
      numberId: string | undefined,
      rates: { stage: number; number: number },
      now: Date,
    ): Promise<number> {
      const moments = await Promise.all([
        takeMoment(PLATFORM, rates.stage, now.getTime()),
        takeMoment(numberScope(numberId), rates.number, now.getTime()),
      ]);
      return Math.max(...moments);
    },

    countSuccess: (): Promise<boolean> => writes.tryUpdate(key, { add: { dials: 1 } }, []),

    /** Counts a failed dial. @returns the gate after the count. */
    async countFailure(): Promise<PlatformGate> {
      return gateSchema.parse(await writes.tryUpdateReturning('ALL_NEW', key, { add: { dials: 1, failures: 1 } }, []));
    },

    /** Begins a window with the failure that was just counted. @param gate after the count. */
    beginWindow: (gate: PlatformGate, now: string): Promise<boolean> =>
      writes.tryUpdate(
        key,
        { set: { window_at: now, window_dials: (gate.dials ?? 0) - 1, window_failures: (gate.failures ?? 0) - 1 } },
        [is('window_at', gate)],
      ),
  };
}

const counts = ['dials', 'failures', 'window_at', 'window_dials', 'window_failures'];

const is = (name: 'closed_until' | 'probe_until' | 'window_at', gate: PlatformGate): Condition =>
  isStill(name, gate[name]);
