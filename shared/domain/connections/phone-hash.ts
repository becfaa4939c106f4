import { createHash } from 'node:crypto';

/**
 * Returns the hash under which Activity finds a number again, although its entries show it masked (docs/leads.md,
 * "Activity"). The organization is part of it, so that equal numbers of two organizations differ.
 * @param phone E.164
 */
export const phoneHash = (orgId: string, phone: string): string =>
  createHash('sha256').update(`${orgId}\n${phone}`).digest('hex');
