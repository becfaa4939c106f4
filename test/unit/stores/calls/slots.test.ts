import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import { ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';

const LATER = secondsAfter(START, 1);
const scope = `org#${ORG}`;
const listed = { waiting: 'listed', waiting_since: START, waiting_seen: START };

const aStage = (item: object) => {
  const world = aWorld({ slots: [{ scope, ...item }] });
  const { transact, waitingOrgs, slots } = world.common;
  const wrote = async (write: Parameters<typeof transact>[0][string]) => (await transact({ write })).committed;
  return Object.assign(world, { waitingOrgs, slots, wrote });
};
type Stage = ReturnType<typeof aStage>;

const unlist = ({ waitingOrgs }: Stage) => waitingOrgs.unlist({ org_id: ORG, seen: START });
const park = ({ waitingOrgs }: Stage) => waitingOrgs.park(ORG, 2);
const parkForCredit = ({ waitingOrgs }: Stage) => waitingOrgs.parkForCredit(ORG);
const unpark = ({ waitingOrgs }: Stage) => waitingOrgs.unpark(ORG, true, START);
const moveBehind = ({ waitingOrgs }: Stage) => waitingOrgs.moveBehind(ORG, LATER);
const take = ({ wrote, slots }: Stage) => wrote(slots.takingOfOrg(ORG, 2, 4, START));

describe('an organization', () => {
  it.each<[string, (stage: Stage) => Promise<boolean>, allowed: object, refused: object]>([
    [
      'leaves the list of waiting organizations unless a call has begun to wait meanwhile',
      unlist,
      listed,
      { ...listed, waiting_seen: LATER },
    ],
    [
      'leaves the list until a slot is free unless a call has given one back meanwhile',
      park,
      { ...listed, live: 2 },
      { ...listed, live: 1 },
    ],
    ['leaves the list until a slot is free only if it is on the list', park, { ...listed, live: 2 }, { live: 2 }],
    [
      'leaves the list until credit is free only while a call is live',
      parkForCredit,
      { ...listed, live: 1 },
      { ...listed, live: 0 },
    ],
    ['returns to the list only if it waits for a slot or credit', unpark, { parked: 'credit' }, {}],
    [
      'returns to the list only once it reaches the instant until which it was parked',
      unpark,
      { parked: 'slot', parked_until: START },
      { parked_until: LATER },
    ],
    [
      'moves behind others only if its call ended after it began to wait',
      moveBehind,
      listed,
      { ...listed, waiting_since: LATER },
    ],
    ['moves behind others only while it is on the list', moveBehind, listed, { waiting_since: START }],
    ['takes no slots beyond its limit', take, { live: 2 }, { live: 3 }],
  ])('%s', async (_promise, act, allowed, refused) => {
    expect(await act(aStage(allowed))).toBe(true);
    const stage = aStage(refused);
    const before = stage.snapshot();
    expect([await act(stage), stage.snapshot()]).toEqual([false, before]);
  });

  it('that waits for credit and for an instant waits only for the instant once its call has ended', async () => {
    const stage = aStage({ parked: 'credit', parked_until: LATER });
    expect([await unpark(stage), stage.find('slots', { scope })]).toEqual([false, { scope, parked_until: LATER }]);
  });

  it('still waits for a slot if it is listed and parked again at the same moment', async () => {
    const stage = aStage({ parked: 'credit', parked_until: LATER });
    const parkedAgain = { scope, parked: 'slot', live: 2 };
    stage.beforeNextWrite(() => stage.beforeNextWrite(() => stage.put('slots', parkedAgain)));
    expect([await unpark(stage), stage.find('slots', { scope })]).toEqual([false, parkedAgain]);
  });
});

describe('a pause', () => {
  it('lets no call take a slot, and keeps its first instant', async () => {
    const stage = aStage({});
    expect(await stage.wrote(stage.slots.pausing(START))).toBe(true);
    expect(await stage.wrote(stage.slots.pausing(LATER))).toBe(false);
    expect(await stage.wrote(stage.slots.takingOfStage(1, 10))).toBe(false);
    expect(stage.find('slots', { scope: 'stage' })).toEqual({ scope: 'stage', paused_at: START });
    expect(await stage.wrote(stage.slots.resuming())).toBe(true);
    expect(await stage.wrote(stage.slots.takingOfStage(1, 10))).toBe(true);
  });
});
