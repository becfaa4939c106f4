import type { AssistantPatch, KnowledgeView } from '../../../shared/messages/dashboard/assistants.ts';

type Member = Exclude<keyof AssistantPatch, 'revision'>;

/** The labels of a definition's members. */
export const memberNames: Readonly<Record<Member, string>> = {
  name: 'Name',
  prompt: 'Prompt',
  first_message: 'First message',
  voice: 'Voice',
  language: 'Language',
  transfer_number: 'Transfer number',
  max_duration_seconds: 'Longest duration',
  success_criteria: 'Success criteria',
  analysis_schema: 'Analysis fields',
};

export const isDefinitionMember = (name: string): name is Member => Object.hasOwn(memberNames, name);

/** @returns who added a file: "by Priya", "by the API key backend" */
export const describeUploader = ({ kind, name }: NonNullable<KnowledgeView['uploaded_by']>): string =>
  kind === 'key' ? `by the API key ${name}` : `by ${name}`;

/** Languages that people choose often, by their codes. */
export const languages: readonly (readonly [code: string, name: string])[] = [
  ['en', 'English'],
  ['hi', 'Hindi'],
  ['bn', 'Bengali'],
  ['gu', 'Gujarati'],
  ['kn', 'Kannada'],
  ['ml', 'Malayalam'],
  ['mr', 'Marathi'],
  ['pa', 'Punjabi'],
  ['ta', 'Tamil'],
  ['te', 'Telugu'],
];

export const languageName = (code: string): string => languages.find(([known]) => known === code)?.[1] ?? code;

export type Sample = {
  id: string;
  name: string;
  /** Fields of a lead under the CRM's names, or metadata of a request. */
  kind: 'lead' | 'metadata';
  values: Readonly<Record<string, string>>;
};

/** The people that the preview greets. */
export const samples: readonly Sample[] = [
  {
    id: 'crm-b',
    name: 'Lead of CRM-B',
    kind: 'lead',
    values: {
      Full_Name: 'Meera Iyer',
      First_Name: 'Meera',
      Last_Name: 'Iyer',
      Company: 'Iyer Textiles',
      Email: 'meera@example.com',
      Lead_Source: 'Website',
      Lead_Status: 'New',
      City: 'Pune',
      State: 'Maharashtra',
      Description: 'Asked about a flat with two rooms.',
      Designation: 'Owner',
    },
  },
  {
    id: 'crm-a',
    name: 'Lead of CRM-A',
    kind: 'lead',
    values: {
      FirstName: 'Ravi',
      LastName: 'Kulkarni',
      EmailAddress: 'ravi@example.com',
      Source: 'Newspaper',
      ProspectStage: 'Enquiry',
      mx_City: 'Nashik',
    },
  },
  {
    id: 'metadata',
    name: 'Call by the REST API',
    kind: 'metadata',
    values: { name: 'Fatima', company: 'Sheikh & Sons', order: 'A-1042', date: 'Saturday' },
  },
  { id: 'nothing', name: 'A person without any details', kind: 'metadata', values: {} },
];

/** "10:30" or "10" minutes, in seconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, minutes, seconds = '0'] = /^\s*(\d{1,3})(?::([0-5]\d))?\s*$/.exec(text) ?? [];
  return minutes === undefined ? undefined : Number(minutes) * 60 + Number(seconds);
}

/** The fallback text for a missing value, by the variable's name. */
const suggestedFallbacks: Readonly<Record<string, string>> = {
  City: 'your city',
  mx_City: 'your city',
  State: 'your state',
  mx_State: 'your state',
  Company: 'your company',
  company: 'your company',
};

/** @returns a variable's placeholder, with a fallback text if its name suggests one */
export function placeholderFor(name: string): string {
  const words = suggestedFallbacks[name] ?? (/^(name|(first|full|last)_?name)$/i.test(name) ? 'there' : undefined);
  return words === undefined ? `{{${name}}}` : `{{${name}|${words}}}`;
}
