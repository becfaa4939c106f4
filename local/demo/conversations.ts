import { voiceControl } from '../simulators/voice/control.ts';

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
