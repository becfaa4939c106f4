import { newLead } from '../simulators/crm-a/payloads.ts';
import { crmASender } from '../simulators/crm-a/sender.ts';
import { voiceControl } from '../simulators/voice/control.ts';
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

type Line = { role: 'bot' | 'user'; message: string };

/** The conversations with the sample leads. Each lead wants something that becomes a ticket. */
const conversations: Record<string, Line[]> = {
  '+919812345670': [
    { role: 'bot', message: 'Namaste Anita, this is Asha. You asked about our flats. Is this a good time?' },
    { role: 'user', message: 'I am at work. Please call me back tomorrow at ten in the morning.' },
    { role: 'bot', message: 'Of course. What would you like to know then?' },
    { role: 'user', message: 'The price of the two-room flat with a balcony, and when I can see it.' },
    { role: 'bot', message: 'A colleague will call you back tomorrow at ten. Goodbye, Anita.' },
  ],
  '+919812345671': [
    { role: 'bot', message: 'Namaste, this is Asha. You asked about our flats. Is this a good time?' },
    { role: 'user', message: 'I have a complaint. I booked a visit on Saturday, and nobody came to the gate.' },
    { role: 'bot', message: 'I am sorry about that. Where did you wait?' },
    { role: 'user', message: 'At tower B, for an hour. I am not happy, and I want to know who is in charge.' },
    { role: 'bot', message: 'I have written it down, and a colleague will see to it today. Goodbye.' },
  ],
};

/** Scripts the calls of the sample leads. */
export async function scriptSampleCalls(voiceUrl: string): Promise<void> {
  const control = voiceControl(voiceUrl);
  for (const [phone, transcript] of Object.entries(conversations))
    await control.script(phone, { behaviour: 'answer', transcript });
}
