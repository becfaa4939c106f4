import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { sortedJson } from '../../text/sorted-json.ts';
import type { AuditEntry, StageEntry } from './audit-entry.ts';

/** The head of a chain: facts about its newest entry. */
export const chainHeadSchema = z.object({
  sequence: z.number(),
  hash: z.string(),
  /** When the newest entry expires, in epoch seconds. */
  last_expires_at: z.number(),
});

export type ChainHead = z.infer<typeof chainHeadSchema>;

/** An entry as it is stored: with its place in the chain. */
export type ChainedEntry = (AuditEntry | StageEntry) & {
  /** Counts the entries of the organization, from 1. */
  sequence: number;
  /** SHA-256 of all other attributes. */
  hash: string;
  /** The hash of the previous entry, if any. */
  previous_hash?: string;
  previous_expires_at?: number;
};

/** Links an entry to the newest one. @param head undefined for the first entry of a chain. */
export function chained(entry: AuditEntry | StageEntry, head: ChainHead | undefined): ChainedEntry {
  const { hash: _, ...content } = storable({
    ...entry,
    sequence: (head?.sequence ?? 0) + 1,
    previous_hash: head?.hash,
    previous_expires_at: head?.last_expires_at,
  }) as ChainedEntry;
  return { ...content, hash: hashOf(content) };
}

/** Returns the head of a chain whose newest entry is this one. */
export const headAt = ({ sequence, hash, expires_at }: ChainedEntry): ChainHead => ({
  sequence,
  hash,
  last_expires_at: expires_at,
});

/** Returns the SHA-256 hash of an entry without its own, in hex. */
export const hashOf = (content: object): string => createHash('sha256').update(sortedJson(content)).digest('hex');

/**
 * Returns the value as DynamoDB's client will return it: JSON, without halves of surrogate pairs and without members
 * named `__proto__`.
 */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map((member) => storable(member ?? null));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name, member]) => member !== undefined && name !== '__proto__');
  return Object.fromEntries(members.map(([name, member]) => [name.toWellFormed(), storable(member)]));
}
