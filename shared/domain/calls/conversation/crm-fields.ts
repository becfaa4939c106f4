import { plain, type Variables } from '../../organizations/assistants/assistant-template.ts';
import { spokenName } from '../../text/spoken-name.ts';

/**
 * Names of the same field in CRM-A and CRM-B, so that one prompt serves leads of both (docs/leads.md, "Values for the
 * assistant").
 */
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

/** CRM-A's prefix of custom fields, which a prompt may omit. */
const CUSTOM_PREFIX = /^mx_/;

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Fields that name the person, in the order in which `{{name}}` uses them. */
const personNames = ['First_Name', 'Full_Name', 'Last_Name'];

/**
 * Returns a lead's values by name: each field under its own name, under the other CRM's name, and without CRM-A's
 * prefix. A field's own name takes precedence over another field's alternative name.
 * @param fields of the lead, by the CRM's names.
 */
export const fieldVariables = (fields: Readonly<Record<string, string>>): Variables => byBothNames(fields, inOneLine);

/**
 * Returns the lead's values that may be spoken or used in a prompt: those in the shape of a name, '' for the others
 * (docs/leads.md, "Spoken values"). `name` is the person's, as in clients' metadata.
 */
export function spokenVariables(fields: Readonly<Record<string, string>>): Variables {
  const spoken = byBothNames(fields, spokenName);
  const name = personNames.map((field) => spoken[field]).find((value) => value);
  return name === undefined ? spoken : { name, ...spoken };
}

function byBothNames(fields: Readonly<Record<string, string>>, read: (value: string) => string): Variables {
  const own = Object.entries(fields).map(([name, value]) => [name, read(value)] as const);
  const second = own.flatMap(([name, value]) => otherNames(name).map((other) => [other, value] as const));
  return Object.fromEntries([...second, ...own]);
}

function otherNames(name: string): string[] {
  const others = spellings.flatMap(([crmA, crmB]) => (name === crmA ? [crmB] : name === crmB ? [crmA] : []));
  return CUSTOM_PREFIX.test(name) ? [...others, name.replace(CUSTOM_PREFIX, '')] : others;
}

/** Puts a value on one line, because the data has one line per value. */
const inOneLine = (value: string): string => plain(value).replace(/[\s\u0085]+/g, ' ');

/** Returns the fields that describe the person to the assistant: all except ids. */
export const fieldContext = (fields: Readonly<Record<string, string>>): Variables =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => !GUID.test(value))
      .map(([name, value]) => [name, inOneLine(value)]),
  );
