import type { CrmBConnection } from '../support/crm-b.ts';
import { activityOf } from '../support/leads.ts';
import { stores } from '../support/orgs.ts';
import { deadLettersOf, inTime, voice } from '../support/stack.ts';
import { coldStart } from '../support/worker-processes.ts';
import { aNamedLead, crmBConnections, expectWrittenOnce } from './support/crm-b.ts';
import {
  atEveryRequest,
  disturbed,
  expectAllKept,
  faultsToTry,
  onLinux,
  send,
  settle,
  struck,
} from './support/rounds.ts';

import.meta.jest.setTimeout(600_000);

/** The other requests are those of CRM-A's leads. */
const isOfCrmB = (what: string): boolean => /^crm-b|UpdateItem connections/.test(what);

onLinux('process-lead, for a CRM-B lead with an expiring access token and a duplicate message', () => {
  const faults = disturbed('process-lead');
  const aConnected = crmBConnections();

  it.each(faultsToTry)(
    'turns the event into one call that rings once, one entry, one call log and one note: %s at each effect',
    async (fault) => {
      const leads: (Awaited<ReturnType<typeof aNamedLead>> & { connected: CrmBConnection })[] = [];
      const isDecided = ({ event }: (typeof leads)[number]) => stores.activity.has(event.connection_id, event.event_id);
      const { probes, kinds } = await atEveryRequest(
        async (target, isAlone) => {
          const hosts = await faults().crmBThrough('process-lead');
          const connected = await aConnected({ hosts, endsInSeconds: -1 });
          const lead = { ...(await aNamedLead(connected)), connected };
          leads.push(lead);
          // A cold start, so that one worker makes all requests of this event.
          if (isAlone) await coldStart('process-lead');
          const armed = faults().arm('process-lead', { ...target, fault, connectionId: connected.connectionId });
          await send('leads', lead.event);
          const hasStruck = await struck(armed, () => isDecided(lead));
          await send('leads', lead.event);
          return { probe: lead.probe, armed, struck: hasStruck };
        },
        { atOnce: 4, isOfInterest: isOfCrmB },
      );
      expect(kinds).toEqual(
        expect.arrayContaining([
          'secretsmanager GetSecretValue crm-b-oauth',
          'TrentService Decrypt',
          'TrentService Encrypt',
          'DynamoDB UpdateItem connections',
          'crm-b accounts POST /oauth/v2/token',
          'crm-b GET /crm/v8/Leads/…',
        ]),
      );
      // A worker that died during a token refresh keeps its lease for another half minute.
      await inTime(
        () => Promise.all(leads.map(isDecided)),
        (decided) => decided.every(Boolean),
        { seconds: 40, most: 20 },
      );
      await settle(probes);
      const calls = await expectAllKept(probes);
      const { byNumber } = await voice.allRings();
      for (const { status, phone_number } of calls)
        expect([phone_number, status, byNumber[phone_number]]).toEqual([phone_number, 'completed', 1]);
      for (const { connected, probe } of leads)
        expect(await activityOf(connected, 1)).toMatchObject([{ outcome: 'call queued', call_id: probe.callId }]);
      await expectWrittenOnce(leads.map(({ leadId }) => leadId));
      expect(await deadLettersOf('leads')).toBe(0);
    },
  );
});
