import { createHmac } from 'node:crypto';
import * as z from 'zod/mini';
import { erasedThingsSchema } from '../../calls/retention/erased-call.ts';
import { isSameSecret } from '../../text/is-same-secret.ts';
import { sortedJson } from '../../text/sorted-json.ts';
import { erasedRecordSchema } from './erased-record.ts';

const erasedCallSchema = z.strictObject({
  call_id: z.string(),
  erased_at: z.string(),
  found: erasedThingsSchema,
  /** Absent in receipts of former versions, which kept all records. */
  records: z.optional(z.array(erasedRecordSchema)),
  /**
   * Whether the voice platform has deleted its data of every attempt: `left` if it did not confirm that, `absent` if
   * its account does not know an attempt, `none` if the service knows of no attempt there. Undefined in receipts of
   * former versions.
   */
  platform: z.optional(z.enum(['erased', 'absent', 'left', 'none'])),
});

/** The members of both kinds of receipt. */
const commonMembers = {
  org_id: z.string(),
  done_at: z.string(),
  done_by: z.string(),
  calls: z.array(erasedCallSchema),
  /** Copies that the command does not reach or did not remove, and the times until which they exist. */
  remains: z.array(z.string()),
  signature: z.string(),
};

/** The result of a person's erasure. It contains no personal data, so that it may be kept. */
export const erasureReceiptSchema = z.strictObject({
  ...commonMembers,
  /** The number's pseudonym under the stage's key. The stage can check whether the receipt is about a given number. */
  person: z.string(),
  /** Entries of Activity that this run reduced. */
  activity: z.number(),
  /**
   * `kept_as_hash`: the list still refuses the number, but stores only its hash. `kept`: stored in plain text, in
   * receipts of former versions.
   */
  do_not_call: z.enum(['kept_as_hash', 'not_listed', 'kept']),
});

/** The result of a single call's erasure. It contains no personal data, either. */
const callReceiptSchema = z.strictObject({
  ...commonMembers,
  /** Absent in a person's receipt. */
  kind: z.literal('call'),
});

export const receiptSchema = z.union([erasureReceiptSchema, callReceiptSchema]);

export type ErasureReceipt = z.infer<typeof erasureReceiptSchema>;
export type CallReceipt = z.infer<typeof callReceiptSchema>;
type Receipt = ErasureReceipt | CallReceipt;
export type CallOfReceipt = Receipt['calls'][number];
type Unsigned<Of extends Receipt> = Omit<Of, 'signature'>;

/** Makes a person's pseudonym. Computing it from a number requires the stage's key. @param phone E.164. */
export const pseudonymOf = (key: string, orgId: string, phone: string): string =>
  createHmac('sha256', key).update(`person\n${orgId}\n${phone}`).digest('base64url');

/** Signs a receipt with the stage's key. */
export function signReceipt(key: string, receipt: Unsigned<ErasureReceipt>): ErasureReceipt;
export function signReceipt(key: string, receipt: Unsigned<CallReceipt>): CallReceipt;
export function signReceipt(key: string, receipt: Unsigned<ErasureReceipt> | Unsigned<CallReceipt>): Receipt {
  return { ...receipt, signature: signatureOf(key, receipt) };
}

/**
 * Verifies the stage's signature on a receipt. Compares in constant time.
 * @param receipt as it was read: a schema strips members that it does not know, which the signature must cover, too
 */
export function isGenuineReceipt(key: string, { signature, ...receipt }: Receipt): boolean {
  return isSameSecret(signature, signatureOf(key, receipt));
}

/** Sorts the members by name, so that reformatted JSON still verifies. */
const signatureOf = (key: string, receipt: object): string =>
  createHmac('sha256', key)
    .update(`receipt\n${sortedJson(receipt)}`)
    .digest('base64url');
