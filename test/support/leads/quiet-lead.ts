import { CRM_B_OWNER } from '../connections/crm-b.ts';
import { aPhoneNumber } from '../rest/rest.ts';
import { crmB } from '../stack/stack.ts';

/** Creates a lead of CRM-B without a notification; the test queues its event itself, if any. @returns its id */
export const aQuietLead = (phone = aPhoneNumber(), fields: object = {}): Promise<string> =>
  crmB.createLead({ Last_Name: 'Rao', Mobile: phone, ...fields }, { owner: CRM_B_OWNER, quiet: true });
