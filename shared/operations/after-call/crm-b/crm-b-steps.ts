import { callLogOf, mayHaveNote, noteOf } from '../../../domain/after-call/crm-b-record.ts';
import { recordingLink } from '../../../domain/after-call/recording-link.ts';
import { WRITING_DEADLINE_SECONDS } from '../../../domain/after-call/remote-writes/remote-writing.ts';
import type { NoEffect } from '../../../domain/after-call/remote-writes/write-outcome.ts';
import type { Call } from '../../../domain/calls/call.ts';
import type { Connection } from '../../../domain/connections/connection.ts';
import type { CrmBAccess } from '../../../integrations/crm-b/api.ts';
import type { CrmBCallLogs } from '../../../integrations/crm-b/call-log.ts';
import type { CrmBNotes } from '../../../integrations/crm-b/note.ts';
import type { CrmBItem } from '../../../stores/calls/call-marks.ts';
import type { CallStore } from '../../../stores/calls/calls.ts';
import type { CallFiles } from '../../../stores/calls/files/call-files.ts';
import type { ConnectionStore } from '../../../stores/connections/connections.ts';
import { readTranscript } from '../remote-writes/read-transcript.ts';
import type { FinishedCall } from '../remote-writes/work-turn.ts';
import type { WriteStep } from '../remote-writes/write-once.ts';

export type CrmBStepDeps = {
  calls: Pick<CallStore, 'changeCrmBItem'>;
  connections: Pick<ConnectionStore, 'get'>;
  files: Pick<CallFiles, 'getTranscript'>;
  accessTo: (connection: Connection) => CrmBAccess;
  callLogs: CrmBCallLogs;
  notes: CrmBNotes;
  /** Keys of recording links, the current one first. */
  linkKeys: () => Promise<[string, ...string[]]>;
  /** Base of the service's own addresses. */
  publicUrl: string;
  now: () => Date;
};

/** A finished call for a lead of CRM-B. */
export type CrmBCall = FinishedCall & { lead: NonNullable<Call['lead']> };

/**
 * Returns the open steps of a call. Records that were never requested come first, because a lookup may take a whole
 * turn.
 */
export function crmBSteps(deps: CrmBStepDeps, call: CrmBCall): WriteStep<CrmBItem>[] {
  const open = [callLogStep(deps, call), noteStep(deps, call)].filter(({ known }) => !known || known.state === 'asked');
  return [...open.filter(({ known }) => !known), ...open.filter(({ known }) => known)];
}

function callLogStep(deps: CrmBStepDeps, call: CrmBCall): WriteStep<CrmBItem> {
  const { call_id, lead } = call;
  return {
    ...commonOf(deps, call, 'call_log'),
    prepare: async () => {
      const entry = callLogOf(call);
      if (!entry) return { kind: 'not_wanted' };
      return withAccess(deps, call, async (access) => ({
        kind: 'ready',
        send: () => deps.callLogs.create(access, lead.lead_id, entry),
      }));
    },
    lookUp: () => withAccess(deps, call, (access) => deps.callLogs.find(access, lead.lead_id, call_id)),
  };
}

function noteStep(deps: CrmBStepDeps, call: CrmBCall): WriteStep<CrmBItem> {
  const { call_id, lead } = call;
  return {
    ...commonOf(deps, call, 'note'),
    prepare: async () => {
      if (!mayHaveNote(call)) return { kind: 'not_wanted' };
      const read = await readTranscript(deps.files, call);
      if (read.kind === 'unavailable') return read;
      const note = noteOf(call, { transcript: read.transcript, recordingLink: await linkTo(deps, call) });
      if (!note) return { kind: 'not_wanted' };
      return withAccess(deps, call, async (access) => ({
        kind: 'ready',
        send: () => deps.notes.create(access, lead.lead_id, note),
      }));
    },
    lookUp: () => withAccess(deps, call, (access) => deps.notes.find(access, lead.lead_id, call_id)),
  };
}

const commonOf = (
  { calls }: CrmBStepDeps,
  call: CrmBCall,
  name: CrmBItem,
): Omit<WriteStep<CrmBItem>, 'prepare' | 'lookUp'> => ({
  name,
  known: call[name],
  since: call.finished_at,
  deadlineSeconds: WRITING_DEADLINE_SECONDS,
  store: (before, after) => calls.changeCrmBItem(call.call_id, name, before, after),
});

async function linkTo(deps: CrmBStepDeps, { call_id, recording }: CrmBCall): Promise<string | undefined> {
  if (recording?.state !== 'stored') return undefined;
  const [key] = await deps.linkKeys();
  return recordingLink(key, deps.publicUrl, call_id, deps.now());
}

/** Runs `request`. Takes the access token first: without one, no mark is stored and no request is sent. */
async function withAccess<Result>(
  deps: CrmBStepDeps,
  { lead }: CrmBCall,
  request: (access: CrmBAccess) => Promise<Result>,
): Promise<Result | NoEffect> {
  const connection = await deps.connections.get(lead.connection_id);
  if (!connection) return { kind: 'reconnect_needed', reason: 'the connection is gone' };
  const access = deps.accessTo(connection);
  const token = await access.token();
  return token.kind === 'token' ? request(access) : token;
}
