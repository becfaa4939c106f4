import type { Call } from '../calls/call.ts';
import type { Lead } from './lead.ts';

/**
 * Returns the lead of a call for another decision. A real lead of CRM-B is fetched again by its id. Other leads cannot
 * be fetched, so the call's own copy is used.
 */
export function leadOfCall({
  lead,
  phone_number,
}: Pick<Call, 'phone_number'> & { lead: NonNullable<Call['lead']> }): Lead {
  const isFetched = lead.crm === 'crm-b' && !lead.test;
  return {
    lead_id: lead.lead_id,
    phones: isFetched ? [] : [phone_number],
    ...(!isFetched && lead.owner_id !== undefined && { owner_id: lead.owner_id }),
    do_not_call: false,
    fields: isFetched ? {} : lead.fields,
  };
}
