import type { Lead, Written } from '../model.ts';
import type { CrmBState } from '../state.ts';

type ApiRecord = Record<string, unknown>;

/** Returns whether the lead has become a contact. A test converts it by its field `Converted__s`. */
export const isConverted = ({ fields }: Lead): boolean => fields.Converted__s === true;

/** Shows a lead with every field of the module. Fields that are not set are null. */
export function leadRecord(state: CrmBState, lead: Lead): ApiRecord {
  const record: ApiRecord = { id: lead.id };
  for (const { api_name: name } of state.fields.all()) record[name] = lead.fields[name] ?? null;
  const name = [lead.fields.First_Name, lead.fields.Last_Name].filter(Boolean).join(' ');
  return {
    ...record,
    Full_Name: name || null,
    Converted__s: isConverted(lead),
    $converted: isConverted(lead),
    Owner: state.user(lead.ownerId),
    Created_By: state.user(lead.createdBy),
    Modified_By: state.user(lead.modifiedBy),
    Created_Time: state.time(lead.createdAt),
    Modified_Time: state.time(lead.modifiedAt),
    Last_Activity_Time: lead.lastActivityAt === null ? null : state.time(lead.lastActivityAt),
  };
}

export function writtenRecord(state: CrmBState, { id, fields, createdBy, createdAt }: Written): ApiRecord {
  const by = state.user(createdBy);
  const at = state.time(createdAt);
  return { id, ...fields, Owner: by, Created_By: by, Modified_By: by, Created_Time: at, Modified_Time: at };
}
