import type { Fault } from '../../local/simulators/crm-b/faults.ts';
import type { Call } from '../../shared/domain/calls/call.ts';
import { callIdFor } from '../../shared/domain/ids.ts';
import { anEndedCall, queueSync } from '../support/finished-call.ts';
import { stores } from '../support/orgs.ts';
import { crmB, deadLettersOf, inTime, passTime, workersAreIdle } from '../support/stack.ts';
import { coldStart } from '../support/worker-processes.ts';
import { aQuietLead, crmBConnections, expectWrittenOnce } from './support/crm-b.ts';
import { atEveryRequest, disturbed, faultsToTry, isMatrix, onLinux } from './support/rounds.ts';

import.meta.jest.setTimeout(900_000);

/** CRM-B's reaction to the first requests; each leads the function through different requests. */
const allWays: { way: string; fault?: Omit<Fault, 'route'>; asks: string[] }[] = [
  { way: 'takes both', asks: [] },
  {
    way: 'takes both and answers neither',
    fault: { kind: 'drop-after' },
    asks: ['crm-b GET /crm/v8/Leads/…/Calls_History', 'crm-b GET /crm/v8/Leads/…/Notes'],
  },
  {
    way: 'takes neither and does not answer',
    fault: { kind: 'drop' },
    asks: [
      'crm-b GET /crm/v8/Leads/…/Calls_History',
      'crm-b GET /crm/v8/Leads/…/Calls',
      'crm-b GET /crm/v8/Leads/…/Notes',
    ],
  },
];
const ways = isMatrix ? allWays : allWays.slice(0, 1);
const cases = ways.flatMap((way) => faultsToTry.map((fault) => ({ ...way, does: fault, meets: way.fault })));

const ASKED = ['POST /crm/v8/Calls', 'POST /crm/v8/Leads/{id}/Notes'];
/** The interval of recover-calls. */
const STEP_SECONDS = 300;
const MOST_STEPS = 12;

/** The remote requests and the marks around them. */
const isOfInterest = (what: string): boolean => /^crm-b|UpdateItem calls/.test(what);

const isSynced = (call: Call | undefined): boolean => call?.crm_b_sync === 'done';

onLinux('sync-crm-b, with an expiring access token and a duplicate message', () => {
  const faults = disturbed('sync-crm-b');
  const aConnected = crmBConnections();

  it.each(cases)(
    'writes one call log and one note: $does at each effect, where CRM-B $way',
    async ({ does, meets, asks }) => {
      const leads: string[] = [];
      const { probes, kinds } = await atEveryRequest(
        async (target, isAlone) => {
          const hosts = await faults().crmBThrough('sync-crm-b');
          const connected = await aConnected({ hosts, endsInSeconds: -1 });
          const leadId = await aQuietLead(connected);
          leads.push(leadId);
          if (meets) for (const route of ASKED) await crmB.fault({ route, ...meets, containing: leadId });
          if (isAlone) await coldStart('sync-crm-b');
          const callId = callIdFor(connected.orgId, leadId);
          const armed = faults().arm('sync-crm-b', { ...target, fault: does, callId });
          // From here on, the product works by itself.
          await anEndedCall(connected, leadId, { call_id: callId, duration: 125, unfinished: 'ended' });
          const isThrough = async () => isSynced(await stores.calls.get(callId));
          await inTime(
            async () => armed.struck !== undefined || (await isThrough()),
            (isOver) => isOver,
            { seconds: STEP_SECONDS, most: MOST_STEPS },
          );
          await queueSync(callId);
          return { probe: { org: connected.org, phone: '', callId }, armed, struck: armed.struck !== undefined };
        },
        { atOnce: 3, isOfInterest },
      );
      expect(kinds).toEqual(
        expect.arrayContaining([
          'DynamoDB UpdateItem calls',
          'DynamoDB GetItem calls',
          'DynamoDB GetItem connections',
          'secretsmanager GetSecretValue crm-b-oauth',
          'DynamoDB UpdateItem connections',
          'crm-b accounts POST /oauth/v2/token',
          'crm-b POST /crm/v8/Calls',
          'crm-b POST /crm/v8/Leads/…/Notes',
          expect.stringMatching(/^aws GET .*transcripts/),
          ...asks,
        ]),
      );
      const calls = await inTime(
        () => Promise.all(probes.map(({ callId }) => stores.calls.get(callId))),
        (found) => found.every(isSynced),
        { seconds: STEP_SECONDS, most: MOST_STEPS },
      );
      await expectWrittenOnce(leads);
      for (const call of calls) {
        expect(call).toMatchObject({ call_log: { state: 'written' }, note: { state: 'written' } });
        expect(call?.unfinished).toBeUndefined();
      }
      // The killed workers' messages are redelivered and must be no-ops.
      await passTime(10 * 60);
      await workersAreIdle();
      await expectWrittenOnce(leads);
      expect(await deadLettersOf('crm-b-sync')).toBe(0);
    },
  );
});
