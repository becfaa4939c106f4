import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { callIdFor } from '../../shared/domain/ids.ts';
import { aCrmBConnection } from '../support/crm-b.ts';
import { anEndedCall, aQuietLead } from '../support/finished-call.ts';
import { crmB, db, environment, inTime, named, recoverCalls } from '../support/stack.ts';
import { coldStart } from '../support/worker-processes.ts';
import {
  atEveryRequest,
  callsOf,
  disturbed,
  faultsToTry,
  isFinished,
  onLinux,
  send,
  struck,
} from './support/rounds.ts';

import.meta.jest.setTimeout(600_000);

onLinux('sync-crm-b, with one duplicate of its message', () => {
  const faults = disturbed('sync-crm-b');

  it.each(faultsToTry)('writes one call log and one note: %s at each of its requests', async (fault) => {
    await crmB.reset();
    const connected = await aCrmBConnection();
    await crmB.settings({ futureToleranceSeconds: 3600 });
    const { org, connectionId } = connected;
    // One lead for all: its id is part of what a request is called.
    const leadId = await aQuietLead();
    // The grant names where CRM-B is asked.
    await db.send(
      new UpdateCommand({
        TableName: named.table('connections'),
        Key: { connection_id: connectionId },
        UpdateExpression: 'SET #grant.api_domain = :proxy',
        ExpressionAttributeNames: { '#grant': 'grant' },
        ExpressionAttributeValues: {
          ':proxy': await faults().through('sync-crm-b', environment.simulators.crm_b, 'crm-b'),
        },
      }),
    );

    const { probes, kinds } = await atEveryRequest(
      async (target, isAlone) => {
        const call_id = callIdFor(org.orgId, randomUUID());
        if (isAlone) await coldStart('sync-crm-b');
        const armed = faults().arm('sync-crm-b', { ...target, fault, callId: call_id });
        const { phone_number: phone } = await anEndedCall(connected, leadId, { call_id });
        const probe = { org, phone, callId: call_id };
        const hasStruck = await struck(armed, isFinished(probe));
        await send('crm-b-sync', { call_id });
        return { probe, armed, struck: hasStruck };
      },
      { atOnce: 3 },
    );
    expect(kinds).toEqual(
      expect.arrayContaining([
        'DynamoDB UpdateItem calls',
        'DynamoDB GetItem calls',
        'DynamoDB GetItem connections',
        'crm-b POST /crm/v8/Calls',
        `crm-b POST /crm/v8/Leads/${leadId}/Notes`,
      ]),
    );

    const calls = await inTime(
      async () => {
        await recoverCalls();
        return callsOf(probes);
      },
      (found) => found.every(({ crm_b_sync, unfinished }) => crm_b_sync === 'done' && unfinished === undefined),
      { seconds: 60, most: 30 },
    );
    expect(calls).toHaveLength(probes.length);
    const [callLogs, notes] = await Promise.all([crmB.calls(leadId), crmB.notes(leadId)]);
    for (const { call_id, call_log, note } of calls) {
      const ofCall = (name: string) => (written: { record: Record<string, unknown> }) =>
        String(written.record[name]).endsWith(call_id);
      const [log, ...moreLogs] = callLogs.filter(ofCall('Subject'));
      const [title, ...moreNotes] = notes.filter(ofCall('Note_Title'));
      expect([moreLogs, moreNotes]).toEqual([[], []]);
      expect(call_log).toMatchObject({ state: 'written', id: log?.id });
      expect(note).toMatchObject({ state: 'written', id: title?.id });
    }
  });
});
