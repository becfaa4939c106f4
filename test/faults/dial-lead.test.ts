import { callIdForLead } from '../../shared/domain/ids.ts';
import { istDay } from '../../shared/domain/time/ist-day.ts';
import { type ClaimsOfCall, moveToYesterday, ownersOf } from '../support/calls/claims.ts';
import { aConnection, aLeadEvent, passTimeUntilIst, queueLead } from '../support/leads/leads.ts';
import { anOrg, changeOrg, untilCall } from '../support/organizations/orgs.ts';
import { now } from '../support/stack/stack.ts';
import { CREDITS, type Probe, send } from './support/probes.ts';
import { expectCompletedOnce } from './support/promises.ts';
import { disturbed, faultsToTry, onLinux } from './support/rounds.ts';

onLinux('dial-call, of a lead whose call waited beyond midnight, with one duplicate of its message', () => {
  const { atEveryRequest } = disturbed('dial-call');
  // Far from midnight IST: the calls move to this day and end before the next.
  beforeAll(() => passTimeUntilIst('10:00'));

  /** A lead's call with yesterday's claims. Its organization has no slot. */
  async function aWaitingCall(): Promise<Probe & { claims: ClaimsOfCall }> {
    const org = await anOrg({ credits: CREDITS, limits: { max_live_calls: 0 } });
    const connected = await aConnection({}, org);
    const event = aLeadEvent(connected);
    const callId = callIdForLead(event.connection_id, event.event_id);
    await queueLead(event);
    await untilCall(callId, ({ status }) => status === 'queued');
    return { org, phone: event.lead.phones[0] ?? '', callId, claims: await moveToYesterday(callId) };
  }

  it.each(faultsToTry)(
    'rings once and replaces its claims with those of the new day: %s at each kind of effect',
    async (fault) => {
      const day = istDay(now());
      const { rounds, probes, kinds } = await atEveryRequest(
        fault,
        async (arm) => {
          const { claims, ...probe } = await aWaitingCall();
          await arm(probe.callId);
          // Set only now, because a free slot would be handed over at the end of any other call.
          await changeOrg(probe.org.orgId, { max_live_calls: 5 });
          await send('slots', { org_id: probe.org.orgId });
          return { probe, claims, again: () => send('dial', { call_id: probe.callId }) };
        },
        { atOnce: 5 },
      );
      expect(kinds['dial-call']).toEqual(
        expect.arrayContaining([
          'DynamoDB GetItem calls',
          'DynamoDB TransactGetItems do-not-call',
          'DynamoDB TransactWriteItems calls claims usage organizations credit-ledger',
          'voice POST /call',
          'DynamoDB UpdateItem calls',
        ]),
      );
      for (const { claims_day } of await expectCompletedOnce(probes)) expect(claims_day).toBe(day);
      for (const { claims } of rounds) {
        const { eventId, today, yesterday } = claims;
        expect(await ownersOf(today, yesterday)).toEqual({ [today.lead]: eventId, [today.phone]: eventId });
      }
    },
  );
});
