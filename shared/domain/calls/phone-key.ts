import type { Call } from './call.ts';

/** The key of a call in the index of calls by their numbers, which are an organization's own. */
export const phoneKeyOf = ({ org_id, phone_number }: Pick<Call, 'org_id' | 'phone_number'>): string =>
  `${org_id}#${phone_number}`;
