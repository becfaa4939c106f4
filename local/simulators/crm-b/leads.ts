import { problems } from './answers.ts';
import type { Caller, Handler } from './api-routes.ts';
import { readOnly } from './fields.ts';
import { type Change, notify } from './notifications.ts';
import type { CrmBState, Lead, Simulator, Written } from './state.ts';

/** A lead as a test or the browser puts it: flat fields by their API names, the owner as an id. */
export type LeadInput = {
  id?: string | undefined;
  org?: string | undefined;
  owner?: string | undefined;
  /** Nobody is told. */
  quiet?: boolean | undefined;
  fields: Record<string, unknown>;
};

/** Creates or edits leads and tells the channels; several at once share notifications. */
export function putLeads(simulator: Simulator, inputs: LeadInput[]): string[] {
  const { state } = simulator;
  const told = new Map<string, { org: string; operation: 'insert' | 'update'; changes: Change[] }>();
  const ids = inputs.map((input) => {
    const known = input.id === undefined ? undefined : state.leads.get(input.id);
    const { lead, change } = known ? edit(state, known, input) : create(state, input);
    const operation = known ? 'update' : 'insert';
    if (!input.quiet && Object.keys(change.fields).length > 0) {
      const key = `${lead.org} ${operation}`;
      const group = told.get(key) ?? { org: lead.org, operation, changes: [] };
      group.changes.push(change);
      told.set(key, group);
    }
    return lead.id;
  });
  for (const { org, operation, changes } of told.values()) notify(simulator, org, operation, changes);
  return ids;
}

export function deleteLead(simulator: Simulator, id: string): boolean {
  const lead = simulator.state.leads.get(id);
  if (!lead) return false;
  simulator.state.leads.delete(id);
  notify(simulator, lead.org, 'delete', [{ id, fields: {} }]);
  return true;
}

function create(state: CrmBState, { id, org, owner, fields }: LeadInput): { lead: Lead; change: Change } {
  const user = state.someUser(owner, org);
  const now = state.clock();
  const lead: Lead = {
    id: id ?? state.nextId(),
    org: org ?? user.org,
    fields: {},
    ownerId: user.id,
    createdBy: user.id,
    modifiedBy: user.id,
    createdAt: now,
    modifiedAt: now,
    lastActivityAt: null,
  };
  state.leads.set(lead.id, lead);
  const change = set(state, lead, fields);
  return { lead, change: { ...change, fields: { ...change.fields, Owner: state.user(user.id) } } };
}

function edit(state: CrmBState, lead: Lead, { owner, fields }: LeadInput): { lead: Lead; change: Change } {
  const change = set(state, lead, fields);
  if (owner !== undefined && owner !== lead.ownerId) {
    lead.ownerId = state.someUser(owner).id;
    change.fields.Owner = state.user(lead.ownerId);
  }
  if (Object.keys(change.fields).length > 0) lead.modifiedAt = state.clock();
  return { lead, change };
}

/** Fields that really change; a lead's own field that is new to the module joins it. */
function set(state: CrmBState, lead: Lead, fields: Record<string, unknown>): Change {
  const changes = Object.entries(fields).filter(
    ([name, value]) => !readOnly.has(name) && (lead.fields[name] ?? null) !== value,
  );
  for (const [name, value] of changes) {
    state.fields.add(name);
    lead.fields[name] = value;
  }
  return { id: lead.id, fields: Object.fromEntries(changes) };
}

/** Every field of the module; those that are not set are null. */
export function leadRecord(state: CrmBState, lead: Lead): Record<string, unknown> {
  const record: Record<string, unknown> = { id: lead.id };
  for (const { api_name: name } of state.fields.all()) record[name] = lead.fields[name] ?? null;
  const name = [lead.fields.First_Name, lead.fields.Last_Name].filter(Boolean).join(' ');
  return {
    ...record,
    Full_Name: name || null,
    Owner: state.user(lead.ownerId),
    Created_By: state.user(lead.createdBy),
    Modified_By: state.user(lead.modifiedBy),
    Created_Time: state.time(lead.createdAt),
    Modified_Time: state.time(lead.modifiedAt),
    Last_Activity_Time: lead.lastActivityAt === null ? null : state.time(lead.lastActivityAt),
  };
}

export function writtenRecord(
  state: CrmBState,
  { id, fields, createdBy, createdAt }: Written,
): Record<string, unknown> {
  const by = state.user(createdBy);
  const at = state.time(createdAt);
  return { id, ...fields, Owner: by, Created_By: by, Modified_By: by, Created_Time: at, Modified_Time: at };
}

export function leadOf({ state }: Simulator, { user }: Caller, id: string): Lead | undefined {
  const lead = state.leads.get(id);
  return lead?.org === user.org ? lead : undefined;
}

/** A single record; 204 with nothing where there is none. */
export const getLead: Handler = (simulator, caller) => {
  const id = checkedId(caller, 'id', 1);
  const lead = leadOf(simulator, caller, id);
  return lead ? { status: 200, json: { data: [leadRecord(simulator.state, lead)] } } : { status: 204 };
};

export const getWritten =
  (module: 'Calls' | 'Notes'): Handler =>
  ({ state }, caller) => {
    const id = checkedId(caller, 'id', 1);
    const found = state.written.find(
      (each) => each.id === id && each.module === module && each.org === caller.user.org,
    );
    return found ? { status: 200, json: { data: [writtenRecord(state, found)] } } : { status: 204 };
  };

export const listLeads: Handler = ({ state }, caller) => {
  const mine = [...state.leads.values()].filter(({ org }) => org === caller.user.org);
  return listed(
    caller,
    mine.map((lead) => leadRecord(state, lead)),
  );
};

/** Whether a call is over, and whether it is still to be made. Only calls that are over are simulated: none is put off. */
export const isClosed = ({ fields }: Written): boolean => fields.Call_Duration !== undefined;
export const isOpen = (call: Written): boolean => !isClosed(call);

/** Calls or notes of a lead. @param belongs which of them are in the list. */
export const listRelated =
  (module: 'Calls' | 'Notes', belongs: (written: Written) => boolean = () => true): Handler =>
  (simulator, caller) => {
    const { state } = simulator;
    const lead = leadOf(simulator, caller, checkedId(caller, 'id', 1));
    if (!lead) throw problems.invalidRelatedId(1);
    const found = state.written.filter((each) => each.module === module && each.leadId === lead.id && belongs(each));
    return listed(
      caller,
      found.map((each) => writtenRecord(state, each)),
    );
  };

/** Lists answer only the fields that are asked for; one that the module lacks is null. */
function listed({ query }: Caller, records: Record<string, unknown>[]) {
  const fields =
    query
      .get('fields')
      ?.split(',')
      .map((name) => name.trim())
      .filter(Boolean) ?? [];
  if (fields.length === 0) throw problems.missingParam('fields');
  if (fields.length > 50) throw problems.paramLimit('fields', 50);
  const page = Number(query.get('page') ?? 1);
  const perPage = Number(query.get('per_page') ?? 200);
  if (!Number.isInteger(page) || page < 1) throw problems.invalidParam('page');
  if (!Number.isInteger(perPage) || perPage < 1 || perPage > 200) throw problems.invalidParam('per_page');
  // Beyond these a page_token is asked for, which is not simulated.
  if (page * perPage > 2000) throw problems.paramLimit('page', 2000);
  const part = records.slice((page - 1) * perPage, page * perPage);
  if (part.length === 0) return { status: 204 };
  const data = part.map((record) => ({
    ...Object.fromEntries(fields.map((name) => [name, record[name] ?? null])),
    id: record.id,
  }));
  const info = { per_page: perPage, count: part.length, page, more_records: records.length > page * perPage };
  return { status: 200, json: { data, info } };
}

/** Ids are numbers; anything else is refused by its place in the path. */
export function checkedId({ names }: Caller, name: string, index: number): string {
  const id = names[name] ?? '';
  if (!/^\d{1,19}$/.test(id)) throw problems.invalidId(index);
  return id;
}
