import { callIdForLead } from '../../shared/domain/ids.ts';
import { aConnection, aLeadEvent } from '../support/leads.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { aPhoneNumber } from '../support/rest.ts';
import { deadLettersOf, eventually, voice } from '../support/stack.ts';
import { coldStart } from '../support/worker-processes.ts';
import {
  atEveryRequest,
  CREDITS,
  disturbed,
  expectAllKept,
  faultsToTry,
  onLinux,
  send,
  settle,
  struck,
} from './support/rounds.ts';

import.meta.jest.setTimeout(600_000);

onLinux('process-lead, with a duplicate message', () => {
  const faults = disturbed('process-lead');

  it.each(faultsToTry)(
    'turns the event into one call that rings once, and one entry: %s at each effect',
    async (fault) => {
      const connections: string[] = [];
      const { probes, kinds } = await atEveryRequest(async (target) => {
        const connected = await aConnection({}, await anOrg({ credits: CREDITS }));
        const { org, connection } = connected;
        const event = aLeadEvent(connected, { lead: { ...aLeadEvent(connected).lead, phones: [aPhoneNumber()] } });
        const callId = callIdForLead(event.connection_id, event.event_id);
        connections.push(connection.connection_id);
        // A cold start, so that one worker makes all requests of this event.
        await coldStart('process-lead');
        const armed = faults().arm('process-lead', { ...target, fault });
        await send('leads', event);
        const isDecided = () => stores.activity.has(event.connection_id, event.event_id);
        // The health of the connection is the last write.
        const isNoted = async () => (await stores.connections.get(event.connection_id))?.last_delivery_at !== undefined;
        const hasStruck = await struck(armed, async () => (await isDecided()) && (await isNoted()));
        await send('leads', event);
        await eventually(isDecided, (decided) => decided, 45);
        return { probe: { org, phone: event.lead.phones[0] ?? '', callId }, armed, struck: hasStruck };
      });
      expect(kinds).toEqual(
        expect.arrayContaining([
          'DynamoDB GetItem connections',
          'DynamoDB GetItem calls',
          'DynamoDB GetItem activity',
          'DynamoDB UpdateItem connections',
          'DynamoDB GetItem organizations',
          'DynamoDB GetItem assistants',
          'DynamoDB GetItem do-not-call',
          'DynamoDB BatchGetItem',
          'DynamoDB TransactWriteItems calls claims organizations credit-ledger',
          'DynamoDB PutItem activity',
        ]),
      );
      await settle(probes);
      const calls = await expectAllKept(probes);
      const { byNumber } = await voice.allRings();
      for (const { status, phone_number } of calls)
        expect([phone_number, status, byNumber[phone_number]]).toEqual([phone_number, 'completed', 1]);
      for (const [index, connectionId] of connections.entries()) {
        const entries = await stores.activity.list(connectionId);
        expect(entries).toMatchObject([{ outcome: 'call queued', call_id: probes[index]?.callId }]);
      }
      expect(await deadLettersOf('leads')).toBe(0);
    },
  );
});
