import { leadClaimKey, phoneClaimKey } from '../../../../shared/domain/calls/day-claims.ts';
import { sundayClaimKey } from '../../../../shared/domain/leads/sunday-retry.ts';
import { ist, MONDAY, ORG } from '../../support/items.ts';
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
  windowOf,
} from '../../support/lead-world.ts';

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

it.each<[reason: string, run: () => Promise<LeadWorld>]>([
  ['The lead matched; its call was queued.', aQueuedLead],
  ['The lead matched; its call was set for the call window.', aScheduledLead],
  ['The CRM has no such lead any more.', gone],
  ['The call window opened; the call was queued.', () => released(() => undefined)],
  [
    'The call window was changed; the call waits for the next one.',
    () => released(connectionHas({ settings: windowOf('15:00') })),
  ],
  ['No line was free in time; the call waits for the next call window.', late],
  ['The Sunday sweep called this lead at the same moment.', () => overtaken(sundayClaimKey(CONNECTION, '1001'), true)],
  ['Another event called this lead at the same moment.', () => overtaken(leadClaimKey(CONNECTION, '1001', MONDAY))],
  ['Another event called this phone number at the same moment.', () => overtaken(phoneClaimKey(ORG, PHONE, MONDAY))],
])('Activity tells people: %s', async (reason, run) => {
  expect((await run()).entries().at(-1)).toMatchObject({ reason });
});
