import type { Call } from './call.ts';

/** Returns the key of a call in the index of an organization's calls by number. */
export const phoneKeyOf = ({ org_id, phone_number }: Pick<Call, 'org_id' | 'phone_number'>): string =>
  `${org_id}#${phone_number}`;
