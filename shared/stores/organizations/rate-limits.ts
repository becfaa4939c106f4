import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { newToken } from '../../domain/ids.ts';
import { costlyLimits, type LimitedOfOrg, windowSeconds } from '../../domain/organizations/rate-limit.ts';
import { conditionalTable } from '../dynamodb/conditional-table.ts';
import type { Condition } from '../dynamodb/update.ts';

export type RateLimitStore = ReturnType<typeof rateLimitStore>;

/** How long an item is stored after the hour in its key. */
const KEPT_SECONDS = 600;
/** Longer than a day. */
const CLAIM_KEPT_SECONDS = 2 * 24 * 60 * 60;

/**
 * The part of a key's hash that identifies the key in the counters of its organization: too long for a stranger to
 * invent another key with the same part.
 */
const MARK_CHARACTERS = 24;
const HOUR_SECONDS = 3_600;
type Counted = 'requests' | LimitedOfOrg;
/** Short, so that all counters of an hour fit into the kilobyte that one write unit pays for. */
const prefixes = { requests: 'r', analyses: 'a', uploads: 'u' } as const satisfies Record<Counted, string>;

/** The result of claiming one of a day's requests. `seconds`: until the next one may be claimed. */
type ClaimOfDay = { kind: 'claimed' } | { kind: 'used_up' } | { kind: 'too_soon'; seconds: number };

const hourOf = (epochMs: number) => Math.floor(epochMs / (HOUR_SECONDS * 1_000));

/** @returns the name of the counter of the present window. */
function counterOf(of: Counted, epochMs: number): string {
  const second = Math.floor(epochMs / 1_000) % HOUR_SECONDS;
  return `${prefixes[of]}${Math.floor(second / windowSeconds[of])}`;
}

/**
 * Accesses the RateLimits table: one item for each clock hour of a counted subject, with counters for each of its
 * windows.
 */
export function rateLimitStore(db: DynamoDBDocumentClient, table: string) {
  const writes = conditionalTable(db, table);
  type Counting = {
    add: readonly string[];
    set?: Readonly<Record<string, boolean>>;
    conditions?: readonly Condition[];
  };

  /** Adds one to counters of the hour's item. @returns the item; undefined if a condition does not hold */
  const addOne = (subject: string, { add, set, conditions = [] }: Counting, epochMs: number) => {
    const hour = hourOf(epochMs);
    return writes.tryUpdateReturning(
      'ALL_NEW',
      { key_minute: `${subject}#${hour}` },
      {
        add: Object.fromEntries(add.map((name) => [name, 1])),
        set: { expires_at: (hour + 1) * HOUR_SECONDS + KEPT_SECONDS, ...set },
      },
      conditions,
    );
  };

  const ofOrg = (orgId: string, kind: LimitedOfOrg) => `${kind}#${orgId}`;
  const markOf = (keyHash: string) => `k_${keyHash.slice(0, MARK_CHARACTERS)}`;

  return {
    /**
     * Counts a request of a subject that has a limit of its own, such as an organization together with a kind of
     * request.
     * @returns the counter of the present minute including it.
     */
    async count(subject: string, epochMs: number): Promise<number> {
      const counter = counterOf('requests', epochMs);
      return Number((await addOne(subject, { add: [counter] }, epochMs))?.[counter]);
    },

    /**
     * Counts an expensive request for an organization. @param keyHash of the key that sent it, if it is known to be the
     * organization's: `countKnownOfOrg` counts for it from now on. @returns the counter of the window including it.
     */
    async countOfOrg(orgId: string, kind: LimitedOfOrg, epochMs: number, keyHash?: string): Promise<number> {
      const counter = counterOf(kind, epochMs);
      const mark = keyHash && markOf(keyHash);
      const update = mark ? { add: [counter, `${counter}_${mark}`], set: { [mark]: true } } : { add: [counter] };
      return Number((await addOne(ofOrg(orgId, kind), update, epochMs))?.[counter]);
    },

    /**
     * Counts an expensive request for the organization that a key names, which may be invented.
     * @returns undefined, without a write, unless `countOfOrg` has counted a request of the key in this clock hour, or
     * if the key has used up its own limit in this window
     */
    async countKnownOfOrg(
      orgId: string,
      kind: LimitedOfOrg,
      epochMs: number,
      keyHash: string,
    ): Promise<number | undefined> {
      const counter = counterOf(kind, epochMs);
      const mark = markOf(keyHash);
      const own = `${counter}_${mark}`;
      const known = {
        expression: `attribute_exists(${mark}) AND (attribute_not_exists(${own}) OR ${own} < :most)`,
        values: { most: costlyLimits[kind].ofKey },
      };
      const item = await addOne(ofOrg(orgId, kind), { add: [counter, own], conditions: [known] }, epochMs);
      return item && Number(item[counter]);
    },

    /**
     * Claims one of a day's requests about an item. All days have one record, so that the interval holds at midnight,
     * too, and each day has its own counter. A refused claim counts nothing. `claimed_by` names this write, so that a
     * repeat of it by the SDK succeeds, although it counts twice.
     * @param day YYYY-MM-DD
     * @returns `used_up` if all `most` of the day are claimed; `too_soon` if the last request was claimed less than
     * `spacing` seconds ago, with the seconds until the next may be
     */
    async claim(
      key: string,
      { day, spacing, most }: { day: string; spacing: number; most: number },
      epochMs: number,
    ): Promise<ClaimOfDay> {
      const second = Math.floor(epochMs / 1_000);
      const ofDay = `d${day.replaceAll('-', '')}`;
      const by = newToken();
      const claim = await writes.tryUpdateTelling(
        { key_minute: key },
        { add: { [ofDay]: 1 }, set: { claimed_at: second, claimed_by: by, expires_at: second + CLAIM_KEPT_SECONDS } },
        [
          {
            expression:
              'attribute_not_exists(claimed_at) OR claimed_by = :by OR ' +
              `(claimed_at <= :spaced AND (attribute_not_exists(${ofDay}) OR ${ofDay} < :most))`,
            values: { by, spaced: second - spacing, most },
          },
        ],
      );
      if (claim.isWritten) return { kind: 'claimed' };
      if (Number(claim.item[ofDay]) >= most) return { kind: 'used_up' };
      return { kind: 'too_soon', seconds: Math.max(1, Number(claim.item.claimed_at) + spacing - second) };
    },
  };
}
