import { callIdForLead } from '../../shared/domain/ids.ts';
import { istDay } from '../../shared/domain/time/ist-day.ts';
import { type ClaimsOfCall, moveToYesterday, ownersOf } from '../support/claims.ts';
import { aConnection, aLeadEvent, passTimeUntilIst, queueLead } from '../support/leads.ts';
import { anOrg, stores } from '../support/orgs.ts';
import { eventually, now, voice } from '../support/stack.ts';
import { coldStart } from '../support/worker-processes.ts';
import {
  atEveryRequest,
  CREDITS,
  disturbed,
  expectAllKept,
  faultsToTry,
  isFinished,
  onLinux,
  type Probe,
  send,
  settle,
  struck,
} from './support/rounds.ts';

import.meta.jest.setTimeout(600_000);

onLinux('dial-call, of a lead whose call waited beyond midnight, with one duplicate of its message', () => {
  const faults = disturbed('dial-call');
  // Far from midnight IST: the calls move to this day and end before the next.
  beforeAll(() => passTimeUntilIst('10:00'));

  /** A lead's call with yesterday's claims and a consumed dial message. Its org has no slot. */
  async function aWaitingCall(): Promise<Probe & { claims: ClaimsOfCall }> {
    const org = await anOrg({ credits: CREDITS, limits: { max_live_calls: 0 } });
    const connected = await aConnection({}, org);
    const event = aLeadEvent(connected);
    const callId = callIdForLead(event.connection_id, event.event_id);
    const dialing = faults().arm('dial-call', { callId });
    await queueLead(event);
    // Refused a slot, which is the worker's last request.
    await eventually(
      async () => [...dialing.requests],
      (requests) => requests.some((request) => request.startsWith('DynamoDB TransactWriteItems')),
    );
    dialing.disarm();
    return { org, phone: event.lead.phones[0] ?? '', callId, claims: await moveToYesterday(callId) };
  }

  it.each(faultsToTry)(
    'rings once and replaces its claims with those of the new day: %s at each effect',
    async (fault) => {
      const claims: ClaimsOfCall[] = [];
      const day = istDay(now());
      const { probes, kinds } = await atEveryRequest(
        async (target, isAlone) => {
          const probe = await aWaitingCall();
          claims.push(probe.claims);
          if (isAlone) await coldStart('dial-call');
          const armed = faults().arm('dial-call', { ...target, fault, callId: probe.callId });
          // Only now, because with a slot the end of any other call hands it over.
          await stores.organizations.update(probe.org.orgId, { max_live_calls: 5 });
          await send('dial', { call_id: probe.callId });
          const hasStruck = await struck(armed, isFinished(probe));
          await send('dial', { call_id: probe.callId });
          return { probe, armed, struck: hasStruck };
        },
        { atOnce: 4 },
      );
      expect(kinds).toEqual(
        expect.arrayContaining([
          'DynamoDB GetItem calls',
          'DynamoDB GetItem do-not-call',
          'DynamoDB TransactWriteItems calls claims slots',
          'voice POST /call',
          'DynamoDB UpdateItem calls',
        ]),
      );
      await settle(probes);
      const calls = await expectAllKept(probes);
      const { byNumber } = await voice.allRings();
      for (const call of calls) {
        expect(call).toMatchObject({ status: 'completed', claims_day: day });
        expect([call.phone_number, byNumber[call.phone_number]]).toEqual([call.phone_number, 1]);
      }
      for (const { eventId, today, yesterday } of claims)
        expect(await ownersOf(today, yesterday)).toEqual({ [today.lead]: eventId, [today.phone]: eventId });
    },
  );
});
