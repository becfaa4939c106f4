import type { Demo } from './seed.ts';
import { crmBControl } from './simulators/crm-b/control.ts';

const SAMPLE_LEAD = {
  First_Name: 'Kabir',
  Last_Name: 'Sen',
  Mobile: '98123 45671',
  Company: 'Sen Textiles',
  City: 'Kolkata',
  Lead_Source: 'Web form',
  Description: 'Two rooms, near the metro',
};

/**
 * The voice simulator's time runs faster than CRM-B's: its calls begin and end in CRM-B's future, which refuses them
 * unless told (Zoho CRM v8, Calls).
 */
const TOLERATED_SECONDS = 3_600;

/** Prepares the simulator. @returns the user whose leads are called: its first one. */
export async function prepareCrmB(apiUrl: string): Promise<string | undefined> {
  const control = crmBControl(apiUrl);
  await control.settings({ futureToleranceSeconds: TOLERATED_SECONDS });
  const [owner] = await control.users();
  return owner?.id;
}

/** So that a lead is seen to become a call and to come back as a call log and a note. @returns its page for people. */
export async function createSampleLead(apiUrl: string, { connections: { crm_b } }: Demo): Promise<string> {
  const owner = crm_b.owner_id;
  const id = await crmBControl(apiUrl).createLead(SAMPLE_LEAD, owner === undefined ? {} : { owner });
  return `${apiUrl}/leads/${id}`;
}
