import type { Answer } from '../../kit/answer.ts';
import type { Lead, RelatedModule, Written } from '../model.ts';
import type { CrmBState } from '../state.ts';
import type { Caller, Handler } from './caller.ts';
import { problems } from './problems.ts';
import { isConverted, leadRecord, writtenRecord } from './records.ts';

/** Finds a lead of the caller's organization. */
export function leadOf(state: CrmBState, { user }: Caller, id: string): Lead | undefined {
  const lead = state.leads.get(id);
  return lead?.org === user.org ? lead : undefined;
}

/** Reads an id of the path. @param index of the id in the path. @throws Problem 400 if it is not a number. */
export function checkedId({ names }: Caller, name: string, index: number): string {
  const id = names[name] ?? '';
  if (!/^\d{1,19}$/.test(id)) throw problems.invalidId(index);
  return id;
}

const oneRecord = (record: Record<string, unknown> | undefined): Answer =>
  record ? { status: 200, json: { data: [record] } } : { status: 204 };

export const getLead: Handler = (state, caller) => {
  const lead = leadOf(state, caller, checkedId(caller, 'id', 1));
  const isShown = lead && (state.settings.showsConvertedLeads || !isConverted(lead));
  return oneRecord(isShown ? leadRecord(state, lead) : undefined);
};

export const getWritten =
  (module: RelatedModule): Handler =>
  (state, caller) => {
    const id = checkedId(caller, 'id', 1);
    const found = state.written.find(
      (each) => each.id === id && each.module === module && each.org === caller.user.org,
    );
    return oneRecord(found && writtenRecord(state, found));
  };

export const listLeads: Handler = (state, caller) => {
  const mine = [...state.leads.values()].filter(({ org }) => org === caller.user.org);
  return listed(
    caller,
    mine.map((lead) => leadRecord(state, lead)),
  );
};

/** Returns whether a call is completed. Scheduled calls are not simulated. */
export const isClosed = ({ fields }: Written): boolean => fields.Call_Duration !== undefined;
export const isOpen = (call: Written): boolean => !isClosed(call);

/** Lists calls or notes of a lead. @param belongs returns whether a record belongs to the list */
export const listRelated =
  (module: RelatedModule, belongs: (written: Written) => boolean = () => true): Handler =>
  (state, caller) => {
    const lead = leadOf(state, caller, checkedId(caller, 'id', 1));
    if (!lead) throw problems.invalidRelatedId(1);
    const found = state.written.filter((each) => each.module === module && each.leadId === lead.id && belongs(each));
    return listed(
      caller,
      found.map((each) => writtenRecord(state, each)),
    );
  };

/** Answers a page of records with the requested fields. Fields that the module lacks are null. */
function listed({ query }: Caller, records: Record<string, unknown>[]): Answer {
  const names = query.get('fields')?.split(',') ?? [];
  const fields = names.map((name) => name.trim()).filter(Boolean);
  if (fields.length === 0) throw problems.missingParam('fields');
  if (fields.length > 50) throw problems.paramLimit('fields', 50);
  const page = Number(query.get('page') ?? 1);
  const perPage = Number(query.get('per_page') ?? 200);
  if (!Number.isInteger(page) || page < 1) throw problems.invalidParam('page');
  if (!Number.isInteger(perPage) || perPage < 1 || perPage > 200) throw problems.invalidParam('per_page');
  // Beyond this, the vendor requires a page_token, which is not simulated.
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
