import { crmBControl } from '../simulators/crm-b/control.ts';
import type { Demo } from './model.ts';

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
 * The voice simulator's clock runs faster than CRM-B's, so the times of its calls are in CRM-B's future. Without this
 * tolerance, CRM-B would refuse them (Zoho CRM v8, "Calls").
 */
const FUTURE_TOLERANCE_SECONDS = 3_600;

/** Prepares the simulator. @returns its first user, whose leads are called. */
export async function prepareCrmB(apiUrl: string): Promise<string | undefined> {
  const control = crmBControl(apiUrl);
  await control.settings({ futureToleranceSeconds: FUTURE_TOLERANCE_SECONDS });
  const [owner] = await control.users();
  return owner?.id;
}

/** Creates a lead that becomes a call and gets a call log and a note. @returns the lead's page for people */
export async function createSampleLead(apiUrl: string, { connections: { crm_b } }: Demo): Promise<string> {
  const owner = crm_b.owner_id;
  const id = await crmBControl(apiUrl).createLead(SAMPLE_LEAD, owner === undefined ? {} : { owner });
  return `${apiUrl}/leads/${id}`;
}
