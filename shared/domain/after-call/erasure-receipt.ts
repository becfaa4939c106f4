import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { erasedThingsSchema } from '../calls/erased-call.ts';
import { sortedJson } from '../text/sorted-json.ts';
import { erasedRecordSchema } from './erased-record.ts';

/** What an erasure of a person found and did. It holds no personal data, so that it may be kept. */
export const erasureReceiptSchema = z.strictObject({
  org_id: z.string(),
  /** The name of the number under the stage's key: who knows the number can check that the receipt is about it. */
  person: z.string(),
  done_at: z.string(),
  done_by: z.string(),
  calls: z.array(
    z.strictObject({
      call_id: z.string(),
      erased_at: z.string(),
      found: erasedThingsSchema,
      /** Absent in receipts of former versions, which kept all of them. */
      records: z.optional(z.array(erasedRecordSchema)),
    }),
  ),
  /** Entries of Activity that this run reduced. */
  activity: z.number(),
  /**
   * `kept_as_hash`: the list still refuses the number, and does not have it in clear any more. `kept`: it has it in
   * clear; receipts of former versions.
   */
  do_not_call: z.enum(['kept_as_hash', 'not_listed', 'kept']),
  /** Copies that the command cannot reach, and until when they exist. */
  remains: z.array(z.string()),
  signature: z.string(),
});

export type ErasureReceipt = z.infer<typeof erasureReceiptSchema>;
type Unsigned = Omit<ErasureReceipt, 'signature'>;

/** Names a person without the number. Only the stage's key leads from a number to its name. @param phone E.164. */
export const nameOfPerson = (key: string, orgId: string, phone: string): string =>
  createHmac('sha256', key).update(`person\n${orgId}\n${phone}`).digest('base64url');

/** Signs a receipt with the stage's key. */
export const signReceipt = (key: string, receipt: Unsigned): ErasureReceipt => ({
  ...receipt,
  signature: signatureOf(key, receipt),
});

/** Whether a receipt is as the stage signed it. Compares in constant time. */
export function isGenuineReceipt(key: string, { signature, ...receipt }: ErasureReceipt): boolean {
  return timingSafeEqual(digest(signature), digest(signatureOf(key, receipt)));
}

/** The names of the members are sorted: JSON that was formatted or sorted by another program stays genuine. */
const signatureOf = (key: string, receipt: Unsigned): string =>
  createHmac('sha256', key)
    .update(`receipt\n${sortedJson(receipt)}`)
    .digest('base64url');

// Makes the lengths equal, because timingSafeEqual throws otherwise.
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
