import { createHmac } from 'node:crypto';

const PREFIX = 'erased#';

/**
 * Returns the value that replaces the number of an erased person on the do-not-call list (docs/personal-data.md,
 * "Erasing a person"). Computing it from a number requires the list's key. It includes the organization, so that equal
 * numbers of two organizations differ.
 * @param phone E.164
 */
export const erasedNumber = (key: string, orgId: string, phone: string): string =>
  PREFIX + createHmac('sha256', key).update(`do-not-call\n${orgId}\n${phone}`).digest('base64url');

/** Returns whether an entry of the do-not-call list no longer has a number. */
export const isErasedNumber = (phone: string): boolean => phone.startsWith(PREFIX);
