import type { LeadNote } from '../../domain/after-call/crm-b-record.ts';
import type { CrmBAccess, CrmBApi } from './api.ts';
import { type CrmBLookUp, type CrmBWrite, findRelated, writeRecord } from './records.ts';

export type CrmBNotes = ReturnType<typeof crmBNotes>;

/** Creates the client of notes on CRM-B's leads (docs/crm-b.md, "Call logs and notes"). */
export const crmBNotes = (api: CrmBApi) => {
  const pathOf = (leadId: string) => `/crm/v8/Leads/${leadId}/Notes`;
  return {
    create: (access: CrmBAccess, leadId: string, { title, content }: LeadNote): Promise<CrmBWrite> =>
      writeRecord(api, access, pathOf(leadId), { Note_Title: title, Note_Content: content }),

    /** Finds the note of a call among the lead's notes. */
    find: (access: CrmBAccess, leadId: string, callId: string): Promise<CrmBLookUp> =>
      findRelated(api, access, { path: pathOf(leadId), field: 'Note_Title', ending: callId }),
  };
};
