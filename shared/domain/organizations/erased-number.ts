import { createHmac } from 'node:crypto';

const PREFIX = 'erased#';

/**
 * What the do-not-call list stores instead of the number of an erased person (docs/personal-data.md, "Erasing a
 * person"). Only the list's key leads from a number to it. The organization is part of it, so that equal numbers of two
 * organizations differ.
 * @param phone E.164.
 */
export const erasedNumber = (key: string, orgId: string, phone: string): string =>
  PREFIX + createHmac('sha256', key).update(`do-not-call\n${orgId}\n${phone}`).digest('base64url');

/** Whether an entry of the do-not-call list has no number any more. */
export const isErasedNumber = (phone: string): boolean => phone.startsWith(PREFIX);
