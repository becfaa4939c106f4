import type { CallLogEntry } from '../../domain/after-call/crm-b-record.ts';
import type { CrmBAccess, CrmBApi } from './api.ts';
import { type CrmBLookUp, type CrmBWrite, findRelated, writeRecord } from './records.ts';

export type CrmBCallLogs = ReturnType<typeof crmBCallLogs>;

/**
 * The related lists of completed and of open calls (Zoho CRM v8, "Modules Metadata"). Both are searched, because a call
 * log that the lookup overlooks would be written twice.
 */
const relatedLists = ['Calls_History', 'Calls'] as const;

/** Creates the client of CRM-B's call log (docs/crm-b.md, "Call logs and notes"). */
export const crmBCallLogs = (api: CrmBApi) => ({
  create: (access: CrmBAccess, leadId: string, { subject, start_time, duration }: CallLogEntry): Promise<CrmBWrite> =>
    writeRecord(api, access, '/crm/v8/Calls', {
      Subject: subject,
      Call_Type: 'Outbound',
      Call_Start_Time: start_time,
      Call_Duration: duration,
      What_Id: leadId,
      // Required for What_Id.
      $se_module: 'Leads',
    }),

  /** Finds the log of a call among the lead's calls. */
  async find(access: CrmBAccess, leadId: string, callId: string): Promise<CrmBLookUp> {
    for (const list of relatedLists) {
      const path = `/crm/v8/Leads/${leadId}/${list}`;
      const found = await findRelated(api, access, { path, field: 'Subject', ending: callId });
      if (found.kind !== 'absent') return found;
    }
    return { kind: 'absent' };
  },
});
