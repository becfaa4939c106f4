import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { done } from '../../support/admin/cli.ts';
import { anEndedCall } from '../../support/calls/finished-call.ts';
import { aCrmBConnection, CRM_B_OWNER, type CrmBConnection, consentAs } from '../../support/connections/crm-b.ts';
import { aQuietLead } from '../../support/leads/quiet-lead.ts';
import { decidedForLead } from '../../support/leads/scheduled-leads.ts';
import { stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber } from '../../support/rest/rest.ts';
import { crmB, db, eventually, inTime, named, passTime, recoverCalls } from '../../support/stack/stack.ts';

const synced = (callId: string) =>
  eventually(
    () => stores.calls.get(callId),
    (call) => call?.crm_b_sync === 'done',
  );
const writtenOn = async (leadId: string) => ({
  callLogs: await crmB.calls(leadId),
  notes: await crmB.notes(leadId),
});

describe('sync-crm-b', () => {
  let connected: CrmBConnection;

  beforeAll(async () => {
    await crmB.reset();
    connected = await aCrmBConnection();
    // Simulated calls are faster than real time, so they may seem to start in the future.
    await crmB.settings({ futureToleranceSeconds: 3600 });
  });

  it('writes a call log and a note, whose link opens the recording, to the lead', async () => {
    const leadId = await crmB.createLead(
      { Last_Name: 'Iyer', Mobile: aPhoneNumber() },
      { quiet: true, owner: CRM_B_OWNER },
    );
    const { outcome, call_id: callId = '' } = await decidedForLead(connected, leadId);
    expect(outcome).toBe('call queued');
    const call = await synced(callId);
    const { callLogs, notes } = await writtenOn(leadId);
    expect(callLogs).toMatchObject([
      {
        trigger: [],
        record: {
          Subject: `Call by Asha, ${callId}`,
          Call_Type: 'Outbound',
          Call_Duration: expect.stringMatching(/^\d\d:\d\d$/),
        },
      },
    ]);
    expect(notes).toMatchObject([{ trigger: [], record: { Note_Title: expect.stringMatching(`, ${callId}$`) } }]);
    expect(call?.unfinished).toBeUndefined();
    expect(call).toMatchObject({
      call_log: { state: 'written', id: callLogs[0]?.id },
      note: { state: 'written', id: notes[0]?.id },
    });
    expect((await done('call', 'show', '--call', callId)).crm_b).toEqual({
      call_log_id: callLogs[0]?.id,
      note_id: notes[0]?.id,
      error: null,
    });
    const content = String(notes[0]?.record.Note_Content);
    expect(content).toContain('Namaste');
    const [link = ''] = /https?:\S+\/api\/recordings\/\S+/.exec(content) ?? [];
    expect((await fetch(link)).headers.get('content-type')).toBe('audio/wav');
  });

  it('runs through recover-calls if its event was lost', async () => {
    const leadId = await aQuietLead();
    const { call_id } = await anEndedCall(connected, leadId, { crm_b_sync: undefined });
    await eventually(
      () => stores.calls.get(call_id),
      (call) => call?.finished_at !== undefined,
    );
    // Makes it look like a CRM-B call from the start.
    await db.send(
      new UpdateCommand({
        TableName: named.table('calls'),
        Key: { call_id },
        UpdateExpression: 'SET crm_b_sync = :pending, unfinished = :ended',
        ExpressionAttributeValues: { ':pending': 'pending', ':ended': 'ended' },
      }),
    );
    await passTime(200);
    // The schedule may have been faster; only the result counts.
    await recoverCalls();
    await synced(call_id);
    expect((await writtenOn(leadId)).callLogs).toHaveLength(1);
  });

  it('waits after a revoked grant, and writes after a reconnect', async () => {
    const leadId = await aQuietLead();
    await crmB.revoke();
    const { call_id } = await anEndedCall(connected, leadId);
    const waiting = await eventually(
      () => stores.calls.get(call_id),
      (call) => call?.crm_b_sync_error !== undefined,
    );
    expect(waiting).toMatchObject({ crm_b_sync: 'pending', unfinished: 'ended' });
    expect([waiting?.call_log, waiting?.note]).toEqual([undefined, undefined]);
    expect((await done('call', 'show', '--call', call_id)).crm_b).toEqual({
      call_log_id: null,
      note_id: null,
      error: waiting?.crm_b_sync_error,
    });
    expect(await consentAs(connected.connection)).toMatchObject({ connected: connected.connectionId });
    await inTime(
      async () => {
        await recoverCalls();
        return stores.calls.get(call_id);
      },
      (call) => call?.crm_b_sync === 'done',
      { seconds: 900, most: 40 },
    );
    const { callLogs, notes } = await writtenOn(leadId);
    expect([callLogs.length, notes.length]).toEqual([1, 1]);
  });
});
