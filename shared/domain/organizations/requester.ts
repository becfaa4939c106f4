import * as z from 'zod/mini';
import type { Shown } from '../newer-values.ts';

const named = { key_id: z.string(), name: z.string() };

/** IP addresses of a request: personal data, shown only to operators (docs/tracing.md, "Addresses"). */
const addresses = {
  /** The peer address that the gateway saw; headers cannot forge it. It may be CloudFront's. */
  address: z.optional(z.string()),
  /** The address that the peer forwards for: trustworthy only if `address` is CloudFront's. */
  forwarded_for: z.optional(z.string()),
};

/** A client with an API key, under the name that the key had. */
export const keyRequester = z.object({ kind: z.literal('key'), ...named, ...addresses });

/** A request's origin. Without `address`, the gateway named none. */
export type RequestAddresses = Pick<z.infer<typeof keyRequester>, 'address' | 'forwarded_for'>;

/** A person in the dashboard, with the name at that time. */
export const memberRequester = z.object({
  kind: z.literal('member'),
  user_id: z.string(),
  name: z.string(),
  ...addresses,
});

/** A requester in stored items. No decision depends on it there, so a newer version may have written another kind. */
export const storedRequesterSchema = z.looseObject({ kind: z.string() });

/** The sender of a request that placed a call or added a file (docs/tracing.md). */
export type Requester = z.infer<typeof keyRequester> | z.infer<typeof memberRequester>;

/** An API key as records name it. Keys are never renamed. */
export const namedKeySchema = z.object(named);

export type NamedKey = z.infer<typeof namedKeySchema>;

/** An API key, and the addresses of the client that used it. */
export const usedKeySchema = z.object({ ...named, ...addresses });

type UsedKey = z.infer<typeof usedKeySchema>;

export const keyRequest = ({ key_id, name }: NamedKey, from: RequestAddresses): Requester => ({
  kind: 'key',
  key_id,
  name,
  ...from,
});

export const memberRequest = (
  { user_id, name, email }: { user_id: string; name: string; email: string },
  from: RequestAddresses,
): Requester => ({ kind: 'member', user_id, name: name || email, ...from });

/** Returns the API key that placed or added something, with its addresses; undefined for people and leads. */
export function keyOf(by: Shown<Requester> | undefined): UsedKey | undefined {
  const { data } = keyRequester.safeParse(by);
  if (!data) return undefined;
  const { kind: _, ...key } = data;
  return key;
}

/** Returns the name for display. A kind of a newer version may have none. */
export const requesterName = ({ kind, name }: Shown<Requester>): string => (typeof name === 'string' ? name : kind);

/** Returns an API key as the dashboard shows it: without addresses. */
export const viewUsedKey = ({ key_id, name }: NamedKey): NamedKey => ({ key_id, name });
