import type { Answer } from '../../kit/answer.ts';
import { type Contact, type ContactFields, contactFieldsSchema } from '../model.ts';
import type { HelpDeskState } from '../state.ts';
import type { Caller, Handler } from './caller.ts';
import { problems, validated } from './problems.ts';
import { allowOnly, cut, inRange, isLike, isOneOf, phoneForm, readPage, sorted } from './query.ts';

export function addContact(state: HelpDeskState, orgId: string, fields: ContactFields): Contact {
  const now = state.second();
  const contact: Contact = { id: state.nextId(), orgId, fields, createdAt: now, modifiedAt: now };
  state.contacts.set(contact.id, contact);
  return contact;
}

export const fullName = ({ firstName, lastName }: ContactFields) => [firstName, lastName].filter(Boolean).join(' ');

/** Shows a contact as the API does, its numbers as they were typed. */
export function contactRecord(state: HelpDeskState, { id, fields, createdAt, modifiedAt }: Contact) {
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
    webUrl: `${state.url}/tickets?contactId=${id}`,
  };
}

/** Finds the contact of the path. @throws Problem 404. */
export function contactOf(state: HelpDeskState, { organization, names }: Caller): Contact {
  const contact = state.contacts.get(names.id ?? '');
  if (contact?.orgId !== organization.id) throw problems.notFound();
  return contact;
}

export const createContact: Handler = (state, caller) => {
  allowOnly(caller.query, []);
  const fields = validated(contactFieldsSchema, caller.json());
  const contact = addContact(state, caller.organization.id, fields);
  return { status: 200, json: contactRecord(state, contact) };
};

export const getContact: Handler = (state, caller) => {
  allowOnly(caller.query, ['include']);
  return { status: 200, json: contactRecord(state, contactOf(state, caller)) };
};

const indexed = (state: HelpDeskState, { organization }: Caller) =>
  [...state.contacts.values()].filter((contact) => contact.orgId === organization.id && state.isIndexed(contact));

const times = {
  createdTime: ({ createdAt }: Contact) => createdAt,
  modifiedTime: ({ modifiedAt }: Contact) => modifiedAt,
};

const likeNames = ['email', 'firstName', 'lastName', 'fullName'] as const;

/** `GET /contacts/search`: every parameter must match. */
export const searchContacts: Handler = (state, caller) => {
  const { query } = caller;
  allowOnly(query, [
    ...['id', 'phone', 'mobile', ...likeNames, '_all', 'createdTimeRange', 'modifiedTimeRange'],
    ...['from', 'limit', 'sortBy'],
  ]);
  const digits = phoneForm(state.settings.phonesBy);
  const isId = isOneOf(query, 'id');
  const phone = isLike(query, 'phone', digits);
  const mobile = isLike(query, 'mobile', digits);
  const anyText = isLike(query, '_all');
  const anyPhone = isLike(query, '_all', digits);
  const likes = likeNames.map((name) => [name, isLike(query, name)] as const);
  const created = inRange(query, 'createdTimeRange');
  const modified = inRange(query, 'modifiedTimeRange');
  const found = indexed(state, caller).filter((contact) => {
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
  return answer(state, caller, found, (count) => count);
};

/** `GET /search?module=contacts&searchStr=`. It counts by module. */
export const searchModules: Handler = (state, caller) => {
  const { query } = caller;
  allowOnly(query, ['searchStr', 'module', 'departmentId', 'from', 'limit', 'sortBy']);
  if (query.get('module') !== 'contacts') throw problems.invalidParam('module');
  return answer(state, caller, containing(state, caller), (count) => ({ contacts: count }));
};

/** `GET /search/contacts?searchStr=`. */
export const searchContactsFor: Handler = (state, caller) => {
  if (!state.settings.knowsSearchContacts) throw problems.notFound();
  allowOnly(caller.query, ['searchStr', 'departmentId', 'from', 'limit', 'sortBy']);
  return answer(state, caller, containing(state, caller), (count) => count);
};

/** Finds the contacts with a text that contains `searchStr`. A number may be part of a longer one. */
function containing(state: HelpDeskState, caller: Caller): Contact[] {
  const wanted = (caller.query.get('searchStr') ?? '').replaceAll('*', '').trim();
  if (wanted.length < 3) throw problems.invalidParam('searchStr');
  const digits = phoneForm(state.settings.phonesBy);
  const isNumber = /^[+\d\s().-]+$/.test(wanted) && digits(wanted) !== '';
  return indexed(state, caller).filter(
    ({ fields, ...contact }) =>
      textsOf({ ...contact, fields }).some((each) => each.toLowerCase().includes(wanted.toLowerCase())) ||
      (isNumber && [fields.phone, fields.mobile].some((each) => digits(each ?? '').includes(digits(wanted)))),
  );
}

const textsOf = ({ fields }: Contact): string[] =>
  [fullName(fields), ...Object.values(fields)].filter((value): value is string => typeof value === 'string');

function answer(
  state: HelpDeskState,
  { query }: Caller,
  found: Contact[],
  countAs: (count: number) => unknown,
): Answer {
  const rows = cut(sorted(found, query, times), readPage(query, 0));
  if (rows.length === 0) return { status: 204 };
  const data = rows.map((contact) => ({ ...contactRecord(state, contact), module: 'contacts' }));
  return { status: 200, json: { data, count: countAs(found.length) } };
}
