import { newLead } from '../simulators/crm-a/payloads.ts';
import { crmASender } from '../simulators/crm-a/sender.ts';
import type { Demo } from './model.ts';

const SAMPLE_PHONE_NUMBER = '+919876543210';
const SAMPLE_LEAD = { number: 1, firstName: 'Anita', phone: '+919812345670' };

/** Places a call by REST, so that the terminal shows events at once. @throws Error if the API refuses it */
export async function placeSampleCall(baseUrl: string, { api_key, assistant_id }: Demo): Promise<void> {
  const { status } = await fetch(`${baseUrl}/v1/calls/outbound`, {
    method: 'POST',
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ phone_number: SAMPLE_PHONE_NUMBER, assistant_id, metadata: { name: 'Ravi' } }),
    signal: AbortSignal.timeout(10_000),
  });
  if (status !== 202) throw new Error(`The API answered the sample call with ${status}.`);
}

/** Posts a lead to the webhook as CRM-A does, so that it becomes a call. @throws Error if the webhook refuses it */
export async function sendSampleLead(baseUrl: string, { connections: { crm_a } }: Demo): Promise<void> {
  const url = `${baseUrl}/api/webhooks/crm-a/${crm_a.connection_id}`;
  const lead = newLead({ ...SAMPLE_LEAD, owner: crm_a.owner_id, at: new Date() });
  const { status } = await crmASender({ url, token: crm_a.token }).post(lead);
  if (status !== 200) throw new Error(`The webhook answered the sample lead with ${status}.`);
}
