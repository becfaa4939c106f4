import { leadClaimKey, phoneClaimKey } from '../../../../shared/domain/calls/dialing/day-claims.ts';
import { sundayClaimKey } from '../../../../shared/domain/calls/dialing/sunday-claim.ts';
import { callIdForLead } from '../../../../shared/domain/ids.ts';
import type { LeadReading } from '../../../../shared/integrations/crm-b/lead-record.ts';
import type { LeadEvent } from '../../../../shared/messages/lead-event.ts';
import { anOrg, ist, MONDAY, ORG } from '../../support/worlds/items.ts';
import {
  aClaim,
  aQueuedLead,
  aScheduledLead,
  atItsOpening,
  CONNECTION,
  connectionHas,
  crmSays,
  type LeadWorld,
  leadWorld,
  PHONE,
  stored,
  unavailable,
  windowOf,
} from '../../support/worlds/lead-world.ts';

const REFUSED: LeadReading = { kind: 'unavailable', reason: 'NO_PERMISSION', isFinal: true };

/** Another event takes a claim between the decision about a lead and its transaction. */
const overtaken = async (key: string, isSunday = false) => {
  const world = leadWorld();
  world.hooks.before = (operation) => {
    if (operation === 'TransactWrite') world.put('claims', aClaim(key, 'evt_0', world.now));
  };
  await world.process(world.event(isSunday ? { sunday_rnr_retry: true } : {}));
  return world;
};
const released = async (change: (world: LeadWorld) => unknown) => {
  const { world, message } = await atItsOpening();
  change(world);
  await world.release(message);
  return world;
};
const late = async () => {
  const world = await aQueuedLead();
  world.now = ist(MONDAY, '14:00');
  await world.dial();
  return world;
};
const gone = async () => {
  const world = leadWorld();
  crmSays({ kind: 'not_found' })(world);
  await world.process(world.event());
  return world;
};
/** CRM-B refuses to return the lead of an event. */
const refusedByCrm = async (more: Partial<LeadEvent> = {}) => {
  const world = leadWorld();
  crmSays(REFUSED)(world);
  await world.process(world.event(more));
  return world;
};
/** CRM-B does not answer for a lead that a sweep queued an hour ago. */
const waiting = async () => {
  const world = leadWorld();
  crmSays(unavailable('down'))(world);
  const event = world.event({ source: 'sunday-sweep', event: 'sunday_retry', sunday_rnr_retry: true });
  world.pass(60 * 60);
  await world.process(event);
  return world;
};
const erased = async () => {
  const world = leadWorld();
  world.put('calls', { call_id: callIdForLead(CONNECTION, 'evt_1'), erased_at: world.now });
  await world.process(world.event());
  return world;
};
/** A change between the placing of a lead's call and its dial. */
const dialedAfter = async (change: (world: LeadWorld) => unknown) => {
  const world = await aQueuedLead();
  change(world);
  await world.dial();
  return world;
};
const postponedTooOften = (world: LeadWorld) => {
  connectionHas({ settings: windowOf('15:00') })(world);
  world.put('calls', { ...world.all('calls')[0], postponements: 7 });
};

it.each<[reason: string, run: () => Promise<LeadWorld>]>([
  ['The lead matched; its call was queued.', aQueuedLead],
  ['The lead matched; its call was set for the call window.', aScheduledLead],
  ['The CRM no longer has the lead, or it was converted.', gone],
  ['The call window opened; the call was queued.', () => released(() => undefined)],
  [
    'The call window was changed; the call waits for the next one.',
    () => released(connectionHas({ settings: windowOf('15:00') })),
  ],
  ['The call was not dialed in time; it waits for the next call window.', late],
  ['The Sunday sweep called this lead at the same moment.', () => overtaken(sundayClaimKey(CONNECTION, '1001'), true)],
  ['Another event called this lead at the same moment.', () => overtaken(leadClaimKey(CONNECTION, '1001', MONDAY))],
  ['Another event called this phone number at the same moment.', () => overtaken(phoneClaimKey(ORG, PHONE, MONDAY))],
  [
    'The lead could not be fetched from the CRM: NO_PERMISSION. It is fetched again if the CRM answers within two days, unless the connection is disconnected first.',
    refusedByCrm,
  ],
  [
    'The lead could not be fetched from the CRM: NO_PERMISSION. It is not requested again, unless a person retries it.',
    () => refusedByCrm({ source: 'catch-up' }),
  ],
  ['The CRM has not answered for an hour; the lead still waits for it.', waiting],
  [
    'The lead could not be fetched from the CRM; the call waits for the next call window.',
    () => released(crmSays(REFUSED)),
  ],
  ['The call was postponed too often.', () => released(postponedTooOften)],
  ['The call of this event was erased.', erased],
  [
    'The connection no longer exists.',
    () => dialedAfter((world) => world.remove('connections', { connection_id: CONNECTION })),
  ],
  [
    "The organization's daily spend limit of 9 credits is reached; the call waits. " +
      'The operator can raise the limit; a new day begins at midnight in India.',
    () => dialedAfter(stored('organizations', anOrg({ daily_limit: 9_000 }))),
  ],
])('Activity explains: %s', async (reason, run) => {
  expect((await run()).entries().at(-1)).toMatchObject({ reason });
});
