import type { Call } from '../../../shared/domain/calls/call.ts';
import { syncCrmB } from '../../../shared/operations/after-call/sync-crm-b.ts';
import type { CrmBItem } from '../../../shared/stores/calls/call-marks.ts';
import { aCalledLead } from './call.ts';
import { aFinishedCall, type Fates, finishedCall, untilDone } from './remote-writes.ts';
import { aConnection, aGrant } from './worlds/items.ts';

/** A finished call of a lead of CRM-B, and CRM-B with its call logs and notes. */
export function aCrmBSync({ call = {}, fates = {} }: { call?: Partial<Call>; fates?: Fates<CrmBItem> } = {}) {
  const finished = aFinishedCall({ crm_b_sync: 'pending', lead: aCalledLead(), ...call });
  const base = finishedCall<CrmBItem>(finished, { connections: [aConnection({ grant: aGrant() })] }, fates);
  const records: Record<CrmBItem, string[]> = { call_log: [], note: [] };
  const contents: object[] = [];
  const port = (item: CrmBItem) =>
    base.outside({
      create: async (_access: unknown, _lead: string, content: object) => {
        contents.push(content);
        const id = `${item}-${records[item].length}`;
        return base.write(item, id, () => records[item].push(id));
      },
      find: async () => base.find(records[item][0]),
    });
  const deps = {
    ...base.common,
    callLogs: port('call_log'),
    notes: port('note'),
    files: base.outside({ getTranscript: async () => base.transcript() }),
    accessTo: () => ({ apiDomain: 'https://crm.example', token: () => base.token() }),
    linkKeys: async (): Promise<[string]> => ['key'],
    syncQueue: base.workQueue,
  };
  const run = (id = base.id) => syncCrmB(deps, id);
  const isDone = () => base.call().crm_b_sync === 'done';
  return Object.assign(base, {
    ...{ records, contents, deps, run },
    made: () => records.call_log.length,
    untilDone: (hours?: number) => untilDone(base, { due: base.workQueue.due, run, isDone }, hours),
  });
}
