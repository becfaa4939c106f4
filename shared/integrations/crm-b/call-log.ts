import type { CallLogEntry } from '../../domain/after-call/crm-b-record.ts';
import type { CrmBAccess, CrmBApi } from './api.ts';
import { type CrmBLookUp, type CrmBWrite, findRelated, writeRecord } from './records.ts';

export type CrmBCallLogs = ReturnType<typeof crmBCallLogs>;

/**
 * Completed calls stand in Calls_History, "Closed Calls"; Calls is "Open Calls" (Zoho CRM v8, "Modules Metadata", related
 * lists of Leads). Both are looked through: a list that shows too little would have a call written twice.
 */
const relatedLists = ['Calls_History', 'Calls'] as const;

/** CRM-B's log of calls (interface, "POST /crm/v8/Calls"). */
export const crmBCallLogs = (api: CrmBApi) => ({
  /** @throws ReconnectNeeded, AccessUnavailable; then nothing was written. */
  create: (access: CrmBAccess, leadId: string, { subject, start_time, duration }: CallLogEntry): Promise<CrmBWrite> =>
    writeRecord(api, access, '/crm/v8/Calls', {
      Subject: subject,
      Call_Type: 'Outbound',
      Call_Start_Time: start_time,
      Call_Duration: duration,
      What_Id: leadId,
      // Without it the call is related to nothing.
      $se_module: 'Leads',
    }),

  /** Looks among the lead's calls for ours. @throws ReconnectNeeded, AccessUnavailable. */
  async find(access: CrmBAccess, leadId: string, callId: string): Promise<CrmBLookUp> {
    for (const list of relatedLists) {
      const path = `/crm/v8/Leads/${leadId}/${list}`;
      const found = await findRelated(api, access, { path, field: 'Subject', ending: callId });
      if (found.kind !== 'absent') return found;
    }
    return { kind: 'absent' };
  },
});
