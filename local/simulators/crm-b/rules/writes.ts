import type { Answer } from '../../kit/answer.ts';
import type { ItemResult, Lead, RelatedModule, VendorError, Written } from '../model.ts';
import type { CrmBState } from '../state.ts';
import { parseTime } from '../times.ts';
import { jsonObject } from './body.ts';
import type { Caller, Handler } from './caller.ts';
import { notify } from './notifications.ts';
import { flat, itemErrors, itemsAnswer, problems, success, vendorError } from './problems.ts';
import { checkedId, leadOf } from './reads.ts';

type Item = Record<string, unknown>;
type Checked = { problem: VendorError } | { fields: Item; lead: Lead | undefined };

const callTypes = ['Inbound', 'Outbound', 'Missed'];
const triggers = ['approval', 'workflow', 'blueprint', 'pathfinder', 'orchestration'];

/** The API has no idempotency key: a repeated request writes the calls again. */
export const createCalls: Handler = (state, caller) =>
  createEach(state, caller, 'Calls', 100, (item, path) => checkCall(state, caller, item, path));

export const createNotes: Handler = (state, caller) => {
  const lead = leadOf(state, caller, checkedId(caller, 'id', 1));
  if (!lead) throw problems.invalidRelatedId(1);
  return createEach(state, caller, 'Notes', 200, (item, path) => checkNote(state, lead, item, path));
};

/** Deletes a record into the recycle bin, which is not simulated. An unknown record is an error of the item. */
export const deleteWritten =
  (module: RelatedModule): Handler =>
  (state, caller) => {
    const id = checkedId(caller, 'id', 1);
    const isTarget = (each: Written) => each.id === id && each.module === module && each.org === caller.user.org;
    const result: ItemResult = state.written.some(isTarget)
      ? success('record deleted', { id })
      : vendorError('INVALID_DATA', 'the id given seems to be invalid', { id });
    state.written = state.written.filter((each) => !isTarget(each));
    return itemsAnswer('data', [result], 200, state.settings.itemErrorStatus);
  };

function createEach(
  state: CrmBState,
  caller: Caller,
  module: RelatedModule,
  limit: number,
  check: (item: Item, path: string) => Checked,
): Answer {
  const { data, trigger } = jsonObject(caller.text);
  if (data === undefined)
    throw flat(400, 'MANDATORY_NOT_FOUND', 'required field not found', { api_name: 'data', json_path: '$.data' });
  if (!Array.isArray(data) || data.length === 0)
    throw flat(400, 'INVALID_DATA', 'invalid data', {
      expected_data_type: 'jsonarray',
      api_name: 'data',
      json_path: '$.data',
    });
  if (data.length > limit) throw flat(400, 'LIMIT_EXCEEDED', 'record limit exceeded', { limit, json_path: '$.data' });
  if (trigger !== undefined && !(Array.isArray(trigger) && trigger.every((each) => triggers.includes(each))))
    throw flat(400, 'INVALID_DATA', 'invalid data', { api_name: 'trigger', json_path: '$.trigger' });
  const touched = new Map<string, Lead>();
  const results = data.map((item, index): ItemResult => {
    const checked = check((item ?? {}) as Item, `$.data[${index}]`);
    if ('problem' in checked) return checked.problem;
    const written = write(state, caller, module, checked.fields, checked.lead, trigger);
    if (checked.lead) touched.set(checked.lead.id, checked.lead);
    return success('record added', receipt(state, written));
  });
  for (const lead of touched.values()) touch(state, lead, trigger);
  return itemsAnswer('data', results, 201, state.settings.itemErrorStatus);
}

function write(
  state: CrmBState,
  { user, number }: Caller,
  module: RelatedModule,
  fields: Item,
  lead: Lead | undefined,
  trigger: unknown,
): Written {
  const written: Written = {
    id: state.nextId(),
    org: user.org,
    module,
    leadId: lead?.id ?? null,
    fields,
    createdBy: user.id,
    createdAt: state.clock(),
    requestNumber: number,
    trigger,
  };
  state.written.push(written);
  return written;
}

function receipt(state: CrmBState, { id, createdAt, createdBy }: Written): Item {
  const { name, id: userId } = state.user(createdBy);
  const by = { name, id: userId };
  const at = state.time(createdAt);
  return { Modified_Time: at, Modified_By: by, Created_Time: at, id, Created_By: by, $approval_state: 'approved' };
}

/** Updates the lead of a new record. Channels are notified unless they or the writer exclude related records. */
function touch(state: CrmBState, lead: Lead, trigger: unknown): void {
  const now = state.clock();
  lead.lastActivityAt = now;
  const fields: Item = { Last_Activity_Time: state.time(now) };
  if (state.settings.relatedMovesModifiedTime) {
    lead.modifiedAt = now;
    fields.Modified_Time = state.time(now);
  }
  if (Array.isArray(trigger) && trigger.length === 0) return;
  notify(state, lead.org, 'update', [{ id: lead.id, fields }], true);
}

function checkCall(state: CrmBState, caller: Caller, item: Item, path: string): Checked {
  const { settings } = state;
  const at = (name: string) => `${path}.${name}`;
  const missing = (name: string) => ({ problem: itemErrors.missing(name, at(name)) });
  const invalid = (name: string, more = {}) => ({ problem: itemErrors.invalid(name, at(name), more) });
  const { Call_Type: type, Call_Start_Time: startTime, Call_Duration: duration, What_Id: what, Who_Id: who } = item;
  for (const name of ['Call_Type', 'Call_Start_Time'])
    if (item[name] === undefined || item[name] === null || item[name] === '') return missing(name);
  if (!callTypes.includes(String(type))) return invalid('Call_Type', { supported_values: callTypes });
  const start = parseTime(startTime);
  if (start === undefined) return invalid('Call_Start_Time', { expected_data_type: 'datetime' });
  if (start > state.clock() + 1000 * settings.futureToleranceSeconds) return invalid('Call_Start_Time');
  if (duration === undefined || duration === null) return missing('Call_Duration');
  const parts = typeof duration === 'string' ? /^(\d{2,}):([0-5]\d)$/.exec(duration) : null;
  if (!parts) return invalid('Call_Duration', { expected_data_type: 'text' });
  const amount = Number(parts[1]) * 60 + Number(parts[2]);
  if (amount === 0 && type !== 'Missed') {
    const dependee = { api_name: 'Call_Type', json_path: at('Call_Type') };
    return { problem: itemErrors.mismatch('Call_Duration', at('Call_Duration'), dependee) };
  }
  if (item.Subject !== undefined && (typeof item.Subject !== 'string' || item.Subject.length > 255))
    return invalid('Subject', { maximum_length: 255 });
  // Who_Id names a contact, and contacts are not simulated. A lead is named by What_Id with $se_module.
  if (who !== undefined && who !== null) return invalid('Who_Id');
  const related = relatedLead(state, caller, what, item.$se_module);
  if (related === 'unknown') return invalid('What_Id');
  if (related === 'no-module') return missing('$se_module');
  const seconds = settings.callDurationIs === 'hh:mm' ? amount * 60 : amount;
  const lead = related ?? undefined;
  const named = lead ? { name: lead.fields.Last_Name ?? null, id: lead.id } : null;
  const fields = { ...item, What_Id: named, Call_Duration_in_seconds: seconds };
  return { fields, lead };
}

function relatedLead(
  state: CrmBState,
  { user }: Caller,
  what: unknown,
  module: unknown,
): Lead | undefined | 'unknown' | 'no-module' {
  if (what === undefined || what === null) return undefined;
  if (module === undefined || module === null)
    return state.settings.missingSeModule === 'refuse' ? 'no-module' : undefined;
  const id = typeof what === 'object' && 'id' in what ? String(what.id) : String(what);
  const lead = module === 'Leads' ? state.leads.get(id) : undefined;
  return lead?.org === user.org ? lead : 'unknown';
}

function checkNote({ settings }: CrmBState, lead: Lead, item: Item, path: string): Checked {
  const at = (name: string) => `${path}.${name}`;
  const { Note_Title: title, Note_Content: content, Parent_Id: parent } = item;
  const invalid = (name: string, more = {}) => ({ problem: itemErrors.invalid(name, at(name), more) });
  if (content === undefined || content === null || content === '')
    return { problem: itemErrors.missing('Note_Content', at('Note_Content')) };
  if (typeof content !== 'string') return invalid('Note_Content', { expected_data_type: 'text' });
  if (content.length > settings.noteContentLimit)
    return invalid('Note_Content', { maximum_length: settings.noteContentLimit });
  if (title !== undefined && title !== null && (typeof title !== 'string' || title.length > 120))
    return invalid('Note_Title', { maximum_length: 120 });
  if (parent !== undefined && parent !== null) {
    const { module, id } = parent as { module?: { api_name?: unknown }; id?: unknown };
    if (!module) return { problem: itemErrors.missing('module', at('Parent_Id.module')) };
    if (id === undefined) return { problem: itemErrors.missing('id', at('Parent_Id.id')) };
    if (module.api_name !== 'Leads' || String(id) !== lead.id) return invalid('Parent_Id');
  }
  const parentId = { module: { api_name: 'Leads', id: '554000000000125' }, id: lead.id };
  return { fields: { Note_Title: title ?? null, Note_Content: content, Parent_Id: parentId }, lead };
}
