import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Fault } from '../../local/simulators/crm-b/faults.ts';
import { done } from '../support/cli.ts';
import { aCrmBConnection, CRM_B_OWNER, type CrmBConnection, consentAs } from '../support/crm-b.ts';
import { anEndedCall, aQuietLead, queueSync } from '../support/finished-call.ts';
import { aLeadEvent, passTimeUntilIst, queueLead } from '../support/leads.ts';
import { stores } from '../support/orgs.ts';
import { aPhoneNumber } from '../support/rest.ts';
import { crmB, db, eventually, inTime, named, passTime, recoverCalls, workersAreIdle } from '../support/stack.ts';

const CALLS = 'POST /crm/v8/Calls';
const NOTES = 'POST /crm/v8/Leads/{id}/Notes';

const synced = (callId: string) =>
  eventually(
    () => stores.calls.get(callId),
    (call) => call?.crm_b_sync === 'done',
  );
/** Passes time and runs recover-calls every five minutes. */
const syncedInTime = (callId: string, seconds = 30) =>
  inTime(
    async () => {
      await recoverCalls();
      return stores.calls.get(callId);
    },
    (call) => call?.crm_b_sync === 'done',
    { seconds, most: 40 },
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

  afterEach(() => crmB.clearFaults());

  it('writes a call log and a note, whose link opens the recording, onto the lead', async () => {
    const leadId = await crmB.createLead(
      { Last_Name: 'Iyer', Mobile: aPhoneNumber() },
      { quiet: true, owner: CRM_B_OWNER },
    );
    const event = aLeadEvent(
      { connection: connected.connection },
      { lead: { lead_id: leadId, phones: [], do_not_call: false, fields: {} } },
    );
    await queueLead(event);
    const [entry] = await eventually(
      async () =>
        (await stores.activity.list(connected.connectionId)).filter(({ event_id }) => event_id === event.event_id),
      (found) => found.length > 0,
    );
    expect(entry).toMatchObject({ outcome: 'call queued' });
    const callId = entry?.call_id ?? '';
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

  it('sends no request to CRM-B for an unanswered call', async () => {
    const leadId = await aQuietLead();
    const call = await anEndedCall(connected, leadId, {
      status: 'no_answer',
      duration: 0,
      started_at: undefined,
      transcript_key: undefined,
      recording: { state: 'none' },
    });
    const settled = await synced(call.call_id);
    expect(settled).toMatchObject({ call_log: { state: 'none' }, note: { state: 'none' } });
    expect(settled?.unfinished).toBeUndefined();
    expect((await crmB.requests()).filter(({ path }) => path.includes(leadId))).toEqual([]);
  });

  it('ignores calls without a CRM-B lead', async () => {
    const leadId = await aQuietLead();
    const call = await anEndedCall(connected, leadId, { crm_b_sync: undefined });
    const finished = await eventually(
      () => stores.calls.get(call.call_id),
      (found) => found?.finished_at !== undefined,
    );
    expect(finished?.unfinished).toBeUndefined();
    await queueSync(call.call_id);
    await workersAreIdle();
    expect(await writtenOn(leadId)).toEqual({ callLogs: [], notes: [] });
  });

  it('writes once, however often the message is delivered', async () => {
    const leadId = await aQuietLead();
    const call = await anEndedCall(connected, leadId);
    await Promise.all(Array.from({ length: 8 }, () => queueSync(call.call_id)));
    await synced(call.call_id);
    await queueSync(call.call_id);
    await workersAreIdle();
    const { callLogs, notes } = await writtenOn(leadId);
    expect([callLogs.length, notes.length]).toEqual([1, 1]);
  });

  it.each<[string, Omit<Fault, 'route'>]>([
    ['is dropped after the work', { kind: 'drop-after' }],
    ['is dropped before the work', { kind: 'drop' }],
    ['is never answered', { kind: 'hang-after' }],
    ['is answered 500 after the work', { kind: 'server-error-after' }],
    ['is answered 429', { kind: 'too-many-requests' }],
  ])('writes each once although the first request %s', async (_, fault) => {
    const leadId = await aQuietLead();
    for (const route of [CALLS, NOTES]) await crmB.fault({ route, ...fault, containing: leadId });
    const { call_id } = await anEndedCall(connected, leadId);
    const call = await syncedInTime(call_id);
    const { callLogs, notes } = await writtenOn(leadId);
    expect(call).toMatchObject({
      call_log: { state: 'written', id: callLogs[0]?.id },
      note: { state: 'written', id: notes[0]?.id },
    });
    expect([callLogs.length, notes.length]).toEqual([1, 1]);
  });

  it('completes the work for a deleted lead, and records it', async () => {
    const leadId = await aQuietLead();
    await crmB.deleteLead(leadId);
    const call = await synced((await anEndedCall(connected, leadId)).call_id);
    expect(call).toMatchObject({
      call_log: { state: 'failed', error: 'INVALID_DATA' },
      note: { state: 'failed', error: 'INVALID_DATA' },
    });
    expect(call?.unfinished).toBeUndefined();
  });

  it('runs by way of recover-calls when its event was lost', async () => {
    const leadId = await aQuietLead();
    const { call_id } = await anEndedCall(connected, leadId, { crm_b_sync: undefined });
    await eventually(
      () => stores.calls.get(call_id),
      (call) => call?.finished_at !== undefined,
    );
    // As if it had been a CRM-B call from the start.
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
    await syncedInTime(call_id, 900);
    const { callLogs, notes } = await writtenOn(leadId);
    expect([callLogs.length, notes.length]).toEqual([1, 1]);
  });

  it('starts no second call by writing after midnight about a call before midnight', async () => {
    await crmB.settings({ relatedMovesModifiedTime: true });
    expect(await crmB.channels()).not.toEqual([]);
    const leadId = await crmB.createLead(
      { Last_Name: 'Iyer', Mobile: aPhoneNumber() },
      { quiet: true, owner: CRM_B_OWNER },
    );
    await passTimeUntilIst('23:58');
    await crmB.fault({ route: CALLS, kind: 'too-many-requests', containing: leadId });
    const { call_id } = await anEndedCall(connected, leadId);
    await eventually(
      () => stores.calls.get(call_id),
      (call) => call?.note?.state === 'written',
    );
    await passTimeUntilIst('00:03');
    await recoverCalls();
    await syncedInTime(call_id);
    await crmB.untilIdle();
    await workersAreIdle();
    const told = (await crmB.notifications()).filter((each) => JSON.stringify(each).includes(leadId));
    expect(told).toEqual([]);
    expect((await stores.activity.list(connected.connectionId)).filter(({ lead_id }) => lead_id === leadId)).toEqual(
      [],
    );
  });
});
