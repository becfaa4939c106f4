import { plain, type Variables } from '../organizations/assistant-text.ts';

/** The same field under the names of both CRMs, so that one prompt serves leads of either (docs/leads.md, "What the assistant knows"). */
const spellings: [crmA: string, crmB: string][] = [
  ['FullName', 'Full_Name'],
  ['FirstName', 'First_Name'],
  ['LastName', 'Last_Name'],
  ['EmailAddress', 'Email'],
  ['Source', 'Lead_Source'],
  ['ProspectStage', 'Lead_Status'],
  ['mx_City', 'City'],
  ['mx_State', 'State'],
  ['Notes', 'Description'],
  ['JobTitle', 'Designation'],
];

/** Custom fields of CRM-A are prefixed; who writes a prompt need not know. */
const CUSTOM_PREFIX = /^mx_/;

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * The values that a lead gives to an assistant's templates, each under its own name and under the other CRM's.
 * @param fields by the CRM's names. A field's own name counts before another field's second one.
 */
export function leadVariables(fields: Readonly<Record<string, string>>): Variables {
  const own = Object.entries(fields).map(([name, value]) => [name, inOneLine(value)] as const);
  const second = own.flatMap(([name, value]) => otherNames(name).map((other) => [other, value] as const));
  return Object.fromEntries([...second, ...own]);
}

function otherNames(name: string): string[] {
  const others = spellings.flatMap(([crmA, crmB]) => (name === crmA ? [crmB] : name === crmB ? [crmA] : []));
  return CUSTOM_PREFIX.test(name) ? [...others, name.replace(CUSTOM_PREFIX, '')] : others;
}

/** Strangers fill in forms: what they wrote stands in a sentence of the prompt, and must not begin a new one. */
const inOneLine = (value: string): string => plain(value).replace(/[\s\u0085]+/g, ' ');

/** What the assistant is told of the lead: ids say nothing to anybody on the phone. */
export const leadContext = (fields: Readonly<Record<string, string>>): Variables =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => !GUID.test(value))
      .map(([name, value]) => [name, inOneLine(value)]),
  );
