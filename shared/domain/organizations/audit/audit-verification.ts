import * as z from 'zod/mini';
import { type ChainedEntry, type ChainHead, hashOf } from './audit-chain.ts';

/** The parts of a stored entry that a verification needs. */
export type Link = Pick<
  ChainedEntry,
  'entry' | 'at' | 'hash' | 'previous_hash' | 'previous_expires_at' | 'sequence'
> & {
  action: string;
  /** Whether the entry still matches its hash. */
  isIntact: boolean;
};

/** An entry from before entries were chained. */
export type LooseEntry = { entry: string };

const linkSchema = z.object({
  entry: z.string(),
  at: z.string(),
  action: z.string(),
  sequence: z.number(),
  hash: z.string(),
  previous_hash: z.optional(z.string()),
  previous_expires_at: z.optional(z.number()),
});

const looseSchema = z.object({ entry: z.string() });

/** Reads a stored item. @throws ZodError if the item is not an entry */
export function linkOf(item: Readonly<Record<string, unknown>>): Link | LooseEntry {
  const link = linkSchema.safeParse(item);
  if (!link.success) return looseSchema.parse(item);
  const { hash, ...content } = item;
  return { ...link.data, isIntact: hashOf(content) === hash };
}

export const isLink = (entry: Link | LooseEntry): entry is Link => 'sequence' in entry;

/** The newest entry that an earlier verification found. */
export type Earlier = Pick<ChainHead, 'sequence' | 'hash'>;

/** The stored entries and heads of a chain. */
export type StoredChain = {
  entries: readonly (Link | LooseEntry)[];
  /** The head before and after the entries were read. Entries may be written in between. */
  before: ChainHead | undefined;
  after: ChainHead | undefined;
};

/** A sentence that names an entry and its problem. */
type Finding = string;

export type Verification = {
  /** Chained entries. */
  chained: number;
  /** Entries that were written before entries were chained. */
  unchained: number;
  findings: Finding[];
};

/** During a deployment of some minutes, functions of the former version still write unchained entries. */
const DEPLOYMENT_MS = 3_600_000;

/**
 * Checks that no entry of a chain was changed, and that no entry that must still be stored is missing.
 * @param earlier the newest entry that an earlier verification found: the table alone does not show that a chain was
 * replaced or cut
 */
export function verifyChain({ entries, before, after }: StoredChain, now: Date, earlier?: Earlier): Verification {
  const all = entries.filter(isLink).toSorted((one, other) => one.sequence - other.sequence);
  const loose = entries.filter((entry): entry is LooseEntry => !isLink(entry));
  // Later entries were written during the read, so their neighbors may be missing.
  const links = all.filter(({ sequence }) => sequence <= (before?.sequence ?? 0));
  const findings = [
    ...links
      .filter(({ isIntact }) => !isIntact)
      .map((link) => `Entry ${named(link)} was changed: its hash does not match.`),
    ...links.flatMap((link, index) => findingsBetween(links[index - 1], link, now)),
    ...findingsAtHead(all, links.at(-1), { before, after }, now),
    ...unplacedAmong(loose, all),
    ...(earlier ? findingsSince(links, earlier) : []),
  ];
  return { chained: links.length, unchained: loose.length, findings };
}

const named = ({ entry, sequence, action }: Link): string => `${entry} (sequence ${sequence}, ${action})`;

/**
 * Reports a duplicate, replaced or missing entry between two stored ones.
 * @param earlier the previous stored entry, which need not be its neighbor; undefined for the oldest one
 */
function findingsBetween(earlier: Link | undefined, link: Link, now: Date): Finding[] {
  if (earlier?.sequence === link.sequence) return [`Entries ${named(earlier)} and ${named(link)} share one sequence.`];
  if (earlier?.sequence === link.sequence - 1) {
    if (earlier.hash === link.previous_hash) return [];
    return [`Entry ${named(earlier)} was replaced: the entry after it, ${link.entry}, names another hash.`];
  }
  if (link.sequence === 1 || isExpired(link.previous_expires_at, now)) return [];
  return [`${missing((earlier?.sequence ?? 0) + 1, link.sequence - 1)} before entry ${named(link)}.`];
}

const missing = (first: number, last: number): string =>
  first === last ? `The entry with sequence ${first} is missing` : `The entries ${first} to ${last} are missing`;

const isExpired = (expiresAt: number | undefined, now: Date): boolean =>
  expiresAt !== undefined && expiresAt * 1000 <= now.getTime();

function findingsAtHead(
  all: readonly Link[],
  newest: Link | undefined,
  { before, after }: Pick<StoredChain, 'before' | 'after'>,
  now: Date,
): Finding[] {
  const last = all.at(-1);
  if (last && last.sequence > (after?.sequence ?? 0))
    return [`The head of the chain was rolled back or removed: it does not know entry ${named(last)}.`];
  if (!before || before.sequence === newest?.sequence)
    return before && before.hash !== newest?.hash
      ? [`The newest entry ${newest && named(newest)} was replaced: the head of the chain names another hash.`]
      : [];
  if (isExpired(before.last_expires_at, now)) return [];
  return [`${missing((newest?.sequence ?? 0) + 1, before.sequence)} at the end: the head of the chain names them.`];
}

/** Reports unchained entries that were written after the chain began. */
function unplacedAmong(loose: readonly LooseEntry[], links: readonly Link[]): Finding[] {
  const [first] = links;
  if (!first) return [];
  const end = Date.parse(first.at) + DEPLOYMENT_MS;
  return loose
    .filter(({ entry }) => !(Date.parse(entry.split('#')[0] ?? '') <= end))
    .map(({ entry }) => `Entry ${entry} has no place in the chain, which began before it.`);
}

function findingsSince(links: readonly Link[], { sequence, hash }: Earlier): Finding[] {
  const known = links.find((link) => link.sequence === sequence)?.hash;
  const next = links.find((link) => link.sequence === sequence + 1);
  if ((known ?? next?.previous_hash) === hash) return [];
  const found = known === undefined && next === undefined ? 'is not stored' : 'has another hash';
  return [`The entry with sequence ${sequence}, which an earlier verification found, ${found}.`];
}
