import * as z from 'zod';
import type { Answer } from '../answer.ts';
import { problems, validated } from './answers.ts';
import type { Caller, Handler } from './api-routes.ts';
import { allowOnly, cut, inRange, isLike, isOneOf, phoneForm, readPage, sorted } from './query.ts';
import type { Contact, HelpDeskState, Simulator } from './state.ts';

const text = (max: number) => z.string().max(max).nullish();

/** Fields of a contact (Zoho Desk OpenAPI v1.0, Contact.json); what is not among them is refused. */
export const contactFieldsSchema = z.strictObject({
  lastName: z.string().min(1).max(200),
  firstName: text(100),
  email: text(255),
  secondaryEmail: text(255),
  phone: text(50),
  mobile: text(50),
  type: text(120),
  title: text(100),
  description: text(65_535),
  street: text(500),
  city: text(100),
  state: text(100),
  country: text(100),
  zip: text(50),
  twitter: text(255),
  facebook: text(255),
  language: text(120),
  cf: z.record(z.string(), z.unknown()).nullish(),
});

export type ContactFields = z.infer<typeof contactFieldsSchema>;

export function addContact(state: HelpDeskState, orgId: string, fields: ContactFields): Contact {
  const now = state.second();
  const contact: Contact = { id: state.nextId(), orgId, fields, createdAt: now, modifiedAt: now };
  state.contacts.set(contact.id, contact);
  return contact;
}

export const fullName = ({ firstName, lastName }: ContactFields) => [firstName, lastName].filter(Boolean).join(' ');

/** As the API shows it; numbers as they were typed. */
export function contactRecord({ state, url }: Simulator, { id, fields, createdAt, modifiedAt }: Contact) {
  return {
    id,
    lastName: fields.lastName,
    firstName: fields.firstName ?? null,
    fullName: fullName(fields),
    email: fields.email ?? null,
    secondaryEmail: fields.secondaryEmail ?? null,
    phone: fields.phone ?? null,
    mobile: fields.mobile ?? null,
    type: fields.type ?? null,
    title: fields.title ?? null,
    description: fields.description ?? null,
    street: fields.street ?? null,
    city: fields.city ?? null,
    state: fields.state ?? null,
    country: fields.country ?? null,
    zip: fields.zip ?? null,
    twitter: fields.twitter ?? null,
    facebook: fields.facebook ?? null,
    language: fields.language ?? null,
    cf: fields.cf ?? {},
    accountId: null,
    ownerId: null,
    isSpam: false,
    createdTime: state.time(createdAt),
    modifiedTime: state.time(modifiedAt),
    webUrl: `${url}/tickets?contactId=${id}`,
  };
}

/** The contact of the path. @throws 404. */
export function contactOf({ state }: Simulator, { organization, names }: Caller): Contact {
  const contact = state.contacts.get(names.id ?? '');
  if (contact?.orgId !== organization.id) throw problems.notFound();
  return contact;
}

export const createContact: Handler = (simulator, caller) => {
  allowOnly(caller.query, []);
  const fields = validated(contactFieldsSchema, caller.json());
  const contact = addContact(simulator.state, caller.organization.id, fields);
  return { status: 200, json: contactRecord(simulator, contact) };
};

export const getContact: Handler = (simulator, caller) => {
  allowOnly(caller.query, ['include']);
  return { status: 200, json: contactRecord(simulator, contactOf(simulator, caller)) };
};

const indexed = ({ state }: Simulator, { organization }: Caller) =>
  [...state.contacts.values()].filter((contact) => contact.orgId === organization.id && state.isIndexed(contact));

const times = {
  createdTime: ({ createdAt }: Contact) => createdAt,
  modifiedTime: ({ modifiedAt }: Contact) => modifiedAt,
};

const likeNames = ['email', 'firstName', 'lastName', 'fullName'] as const;

/** `GET /contacts/search`: every parameter has to fit. */
export const searchContacts: Handler = (simulator, caller) => {
  const { query } = caller;
  allowOnly(query, [
    ...['id', 'phone', 'mobile', ...likeNames, '_all', 'createdTimeRange', 'modifiedTimeRange'],
    ...['from', 'limit', 'sortBy'],
  ]);
  const digits = phoneForm(simulator.state.settings.phonesBy);
  const isId = isOneOf(query, 'id');
  const phone = isLike(query, 'phone', digits);
  const mobile = isLike(query, 'mobile', digits);
  const anyText = isLike(query, '_all');
  const anyPhone = isLike(query, '_all', digits);
  const likes = likeNames.map((name) => [name, isLike(query, name)] as const);
  const created = inRange(query, 'createdTimeRange');
  const modified = inRange(query, 'modifiedTimeRange');
  const found = indexed(simulator, caller).filter((contact) => {
    const values = { ...contact.fields, fullName: fullName(contact.fields) };
    return (
      isId(contact.id) &&
      phone(values.phone) &&
      mobile(values.mobile) &&
      likes.every(([name, like]) => like(values[name])) &&
      (!query.has('_all') || textsOf(contact).some(anyText) || anyPhone(values.phone) || anyPhone(values.mobile)) &&
      created(contact.createdAt) &&
      modified(contact.modifiedAt)
    );
  });
  return answer(simulator, caller, found, (count) => count);
};

/** `GET /search?module=contacts&searchStr=`, whose count is by module. */
export const searchModules: Handler = (simulator, caller) => {
  const { query } = caller;
  allowOnly(query, ['searchStr', 'module', 'departmentId', 'from', 'limit', 'sortBy']);
  if (query.get('module') !== 'contacts') throw problems.invalidParam('module');
  return answer(simulator, caller, containing(simulator, caller), (count) => ({ contacts: count }));
};

/** `GET /search/contacts?searchStr=`. */
export const searchContactsFor: Handler = (simulator, caller) => {
  if (!simulator.state.settings.knowsSearchContacts) throw problems.notFound();
  allowOnly(caller.query, ['searchStr', 'departmentId', 'from', 'limit', 'sortBy']);
  return answer(simulator, caller, containing(simulator, caller), (count) => count);
};

/** Contacts any text of which holds the text that is looked for; a number may be part of a longer one. */
function containing(simulator: Simulator, caller: Caller): Contact[] {
  const wanted = (caller.query.get('searchStr') ?? '').replaceAll('*', '').trim();
  if (wanted.length < 3) throw problems.invalidParam('searchStr');
  const digits = phoneForm(simulator.state.settings.phonesBy);
  const isNumber = /^[+\d\s().-]+$/.test(wanted) && digits(wanted) !== '';
  return indexed(simulator, caller).filter(
    ({ fields, ...contact }) =>
      textsOf({ ...contact, fields }).some((each) => each.toLowerCase().includes(wanted.toLowerCase())) ||
      (isNumber && [fields.phone, fields.mobile].some((each) => digits(each ?? '').includes(digits(wanted)))),
  );
}

const textsOf = ({ fields }: Contact): string[] =>
  [fullName(fields), ...Object.values(fields)].filter((value): value is string => typeof value === 'string');

function answer(
  simulator: Simulator,
  { query }: Caller,
  found: Contact[],
  countAs: (count: number) => unknown,
): Answer {
  const rows = cut(sorted(found, query, times), readPage(query, 0));
  if (rows.length === 0) return { status: 204 };
  const data = rows.map((contact) => ({ ...contactRecord(simulator, contact), module: 'contacts' }));
  return { status: 200, json: { data, count: countAs(found.length) } };
}
