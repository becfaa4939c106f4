type Example = {
  id: string;
  title: string;
  about: string;
  definition: {
    name: string;
    first_message: string;
    prompt: string;
    success_criteria: string;
    analysis_schema: { type: 'object'; properties: Record<string, { type: string; description: string }> };
    max_duration_seconds: number;
  };
};

const text = (description: string) => ({ type: 'string', description });

/** Example assistants. */
export const examples: readonly Example[] = [
  {
    id: 'enquiry',
    title: 'Calls new enquiries',
    about: 'Greets a person who asked for information, finds out what they need, and offers a visit.',
    definition: {
      name: 'Asha',
      first_message: 'Namaste {{First_Name|there}}, this is Asha. You asked about our flats. Is this a good time?',
      prompt: [
        'You are Asha. You call people who asked for information about our flats.',
        'Find out how many rooms they need, their budget and the area. Offer a visit on a day that suits them.',
        'Speak in short sentences. Answer in the language of the person.',
        'If the person has no time, ask when you may call again. If they do not want calls, apologize and say goodbye.',
      ].join('\n'),
      success_criteria: 'A visit is agreed with its day and time.',
      analysis_schema: {
        type: 'object',
        properties: {
          rooms: { type: 'integer', description: 'How many rooms the person needs.' },
          budget: { type: 'number', description: 'Budget in rupees.' },
          area: text('Where the flat should be.'),
          visit: text('Day and time of the visit that was agreed.'),
        },
      },
      max_duration_seconds: 600,
    },
  },
  {
    id: 'reminder',
    title: 'Reminds people of an appointment',
    about: 'Reminds the person of the appointment, asks whether they will come, and notes another time if not.',
    definition: {
      name: 'Kiran',
      first_message: 'Hello {{name|there}}, this is Kiran. I am calling about your appointment on {{date|this week}}.',
      prompt: [
        'You are Kiran. You remind people of their appointment on {{date|this week}}.',
        'Ask whether they will come. If not, ask for another day and time, and say that a colleague will confirm it.',
        'Keep the call under two minutes.',
      ].join('\n'),
      success_criteria: 'The person confirms the appointment, or names another time.',
      analysis_schema: {
        type: 'object',
        properties: {
          comes: { type: 'boolean', description: 'Whether the person will come.' },
          new_time: text('Another day and time, if the person named one.'),
        },
      },
      max_duration_seconds: 180,
    },
  },
  {
    id: 'feedback',
    title: 'Asks how it went',
    about: 'Calls after a service, asks for a rating, and notes what could be better.',
    definition: {
      name: 'Tara',
      first_message: 'Hello {{name|there}}, this is Tara. May I ask you two short questions about our service?',
      prompt: [
        'You are Tara. You ask customers how satisfied they were.',
        'Ask for a rating from 1 to 5, then what we could do better. Do not argue, and do not promise anything.',
        'If the person has a complaint, say that a colleague will call back.',
      ].join('\n'),
      success_criteria: 'The person gives a rating.',
      analysis_schema: {
        type: 'object',
        properties: {
          rating: { type: 'integer', description: 'From 1 (bad) to 5 (very good).' },
          better: text('What the person would like us to improve.'),
        },
      },
      max_duration_seconds: 300,
    },
  },
];

/** @returns the example's definition for an assistant with this name, in which the assistant calls itself so */
export function namedExample({ definition }: Example, name: string): Example['definition'] {
  const rename = (original: string) => original.replaceAll(definition.name, () => name);
  return { ...definition, name, first_message: rename(definition.first_message), prompt: rename(definition.prompt) };
}
