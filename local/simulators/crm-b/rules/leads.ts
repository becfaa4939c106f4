import { readOnly } from '../fields.ts';
import type { Change, Lead, LeadInput } from '../model.ts';
import type { CrmBState } from '../state.ts';
import { notify } from './notifications.ts';

/** Creates or edits leads and notifies the channels. Changes of one kind share notifications. @returns the ids. */
export function putLeads(state: CrmBState, inputs: LeadInput[]): string[] {
  const groups = new Map<string, { org: string; operation: 'insert' | 'update'; changes: Change[] }>();
  const ids = inputs.map((input) => {
    const known = input.id === undefined ? undefined : state.leads.get(input.id);
    const { lead, change } = known ? edit(state, known, input) : create(state, input);
    const operation = known ? 'update' : 'insert';
    if (!input.quiet && Object.keys(change.fields).length > 0) {
      const key = `${lead.org} ${operation}`;
      const group = groups.get(key) ?? { org: lead.org, operation, changes: [] };
      group.changes.push(change);
      groups.set(key, group);
    }
    return lead.id;
  });
  for (const { org, operation, changes } of groups.values()) notify(state, org, operation, changes);
  return ids;
}

/** @returns false if no such lead exists */
export function deleteLead(state: CrmBState, id: string): boolean {
  const lead = state.leads.get(id);
  if (!lead) return false;
  state.leads.delete(id);
  notify(state, lead.org, 'delete', [{ id, fields: {} }]);
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
  const change = setFields(state, lead, fields);
  return { lead, change: { ...change, fields: { ...change.fields, Owner: state.user(user.id) } } };
}

function edit(state: CrmBState, lead: Lead, { owner, fields }: LeadInput): { lead: Lead; change: Change } {
  const change = setFields(state, lead, fields);
  if (owner !== undefined && owner !== lead.ownerId) {
    lead.ownerId = state.someUser(owner).id;
    change.fields.Owner = state.user(lead.ownerId);
  }
  if (Object.keys(change.fields).length > 0) lead.modifiedAt = state.clock();
  return { lead, change };
}

/** Sets fields, and adds those that the module does not have yet. @returns the fields whose value changed. */
function setFields(state: CrmBState, lead: Lead, fields: Record<string, unknown>): Change {
  const changes = Object.entries(fields).filter(
    ([name, value]) => !readOnly.has(name) && (lead.fields[name] ?? null) !== value,
  );
  for (const [name, value] of changes) {
    state.fields.add(name);
    lead.fields[name] = value;
  }
  return { id: lead.id, fields: Object.fromEntries(changes) };
}
