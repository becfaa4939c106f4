import * as z from 'zod/mini';

/** IP address of a request: personal data, which is shown to operators alone (docs/tracing.md, "Addresses"). */
const address = z.optional(z.string());

/** A client with an API key, under the name that the key had. */
export const keyRequester = z.object({ kind: z.literal('key'), key_id: z.string(), name: z.string(), address });

/** A person in the dashboard, under the name of that time. */
export const memberRequester = z.object({ kind: z.literal('member'), user_id: z.string(), name: z.string(), address });

/** Who sent a request that placed a call or added a file (docs/tracing.md). */
export const requesterSchema = z.union([keyRequester, memberRequester]);

export type Requester = z.infer<typeof requesterSchema>;

/** An API key as records name it. Keys are never renamed. */
export const namedKeySchema = z.pick(keyRequester, { key_id: true, name: true });

export type NamedKey = z.infer<typeof namedKeySchema>;

/** An API key, and the address of the client that used it. */
export const usedKeySchema = z.pick(keyRequester, { key_id: true, name: true, address: true });

type UsedKey = z.infer<typeof usedKeySchema>;

/** @param address the IP address that the gateway saw; undefined if it named none */
export const keyRequest = ({ key_id, name }: NamedKey, address: string | undefined): Requester => ({
  kind: 'key',
  key_id,
  name,
  ...(address !== undefined && { address }),
});

/** @param address as of `keyRequest` */
export const memberRequest = (
  { user_id, name, email }: { user_id: string; name: string; email: string },
  address: string | undefined,
): Requester => ({ kind: 'member', user_id, name: name || email, ...(address !== undefined && { address }) });

/** Returns the key of what a key has placed or added, with its address; undefined for people and leads. */
export function keyOf(by: Requester | { kind: 'lead' } | undefined): UsedKey | undefined {
  if (by?.kind !== 'key') return undefined;
  const { kind: _, ...key } = by;
  return key;
}

/** An API key as the dashboard shows it: without an address. */
export const viewKey = ({ key_id, name }: NamedKey): NamedKey => ({ key_id, name });
