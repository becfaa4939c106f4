import type { TableName } from '../../../../lib/tables.ts';
import type { Call } from '../../../../shared/domain/calls/call.ts';
import { leadClaimKey, phoneClaimKey } from '../../../../shared/domain/calls/dialing/day-claims.ts';
import { TransactionContention } from '../../../../shared/domain/contention.ts';
import { erasedNumber } from '../../../../shared/domain/organizations/erased-number.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import type { DialOutcome, DialRequest } from '../../../../shared/integrations/voice/voice-platform.ts';
import { dialOnce } from '../../../../shared/operations/calls/dialing/dial-once.ts';
import { updateOrganization } from '../../../../shared/operations/organizations/update-organization.ts';
import { aCall, aCalledLead, aClaimedCall, aReservedCall } from '../../support/call.ts';
import { CALL, type CallWorld, callWorld, expectConsistent } from '../../support/worlds/call-world.ts';
import type { Contents } from '../../support/worlds/database.ts';
import { anAssistant, anOrg, CREDIT, MONDAY, ORG } from '../../support/worlds/items.ts';
import { aClaim, HOLD } from '../../support/worlds/lead-world.ts';
import { LIST_KEY, START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

/** An organization that may no longer call India. */
const elsewhere = () => anOrg({ default_region: 'AE', countries: ['US'] });
/** The erased key in place of a lead's id or a number. */
const hidden = (text: string) => erasedNumber(LIST_KEY, ORG, text);
const switchIndiaOff = ({ deps }: CallWorld) => {
  const wanted = { set: { default_region: 'AE', countries: ['US'] } };
  const waking = { ...deps, handOverSlots: async () => {} };
  return updateOrganization(waking, { kind: 'operator', name: 'ops' }, { org_id: ORG }, wanted);
};
/** The part of the day's spend that a call stores. */
const SPEND = { day: MONDAY, of_stage: false };
/** The attributes that remain after a dial from the account's own number. */
const DIALED = { spend: SPEND, calling_number: null };
const liveInBoth = (live: number) => ({ stage: live, [`org#${ORG}`]: live });

const failing = <Deps extends object>(deps: Deps, name: keyof Deps) =>
  Object.assign(deps, { [name]: () => Promise.reject(new Error('cannot be read')) });

describe('dialing a call', () => {
  it('keeps its slots, rings the phone and stores the platform id', async () => {
    const world = callWorld([aReservedCall({ absent_since: START })]);
    expect(await world.dialCall()).toBe('accepted');
    const { absent_since, ...claimed } = aClaimedCall({
      dial_claimed_at: START,
      progress_at: START,
      platform_id: 'p1',
      absent_since: START,
      ...DIALED,
    });
    expect(world.stored()).toEqual(claimed);
    expect(world.live()).toEqual(liveInBoth(1));
    expect(world.rung).toEqual([{ call_id: CALL, phone: claimed.phone_number, at: START }]);
    expect(await world.dialCall()).toBe('not_waiting');
    expect(world.rung).toHaveLength(1);
  });

  it('puts data into the prompt between marks that differ at each dial', async () => {
    const lead = aCalledLead({ test: true, fields: { First_Name: 'Asha' } });
    const marks: (string | undefined)[] = [];
    for (let times = 0; times < 2; times += 1) {
      const world = callWorld([aReservedCall({ lead, claims_day: MONDAY, held: 0, holds: 0 })]);
      const dial = async ({ prompt }: DialRequest) => {
        marks.push(/<lead-([0-9a-f]{32})>/.exec(prompt)?.[1]);
        return world.dialing;
      };
      expect(await dialOnce({ ...world.deps, voice: { ...world.deps.voice, dial } }, CALL)).toBe('accepted');
    }
    expect([new Set(marks).size, marks.includes(undefined)]).toEqual([2, false]);
  });

  it.each([
    ['+918012345678', '+918012345678'],
    ['+19005550123', undefined],
    ['+971501234567', undefined],
  ])('transfers only if its organization may call the number: %s', async (transfer_number, transferNumber) => {
    const world = callWorld();
    world.deps.assistants.get = async () => anAssistant({ transfer_number });
    world.deps.organizations.get = async () => anOrg({ countries: [] });
    const dialed: DialRequest[] = [];
    const dial = async (request: DialRequest) => {
      dialed.push(request);
      return world.dialing;
    };
    expect(await dialOnce({ ...world.deps, voice: { ...world.deps.voice, dial } }, CALL)).toBe('accepted');
    expect(dialed).toMatchObject([{ transferNumber }]);
  });

  it('rings at most once, however many workers have its message and wherever they die', async () => {
    for await (const [world, cut] of worldThatDies(callWorld, (each) =>
      Promise.all([each.dialCall(), each.dialCall()]),
    )) {
      await world.dialCall();
      const { dial_claimed_at, attempts } = world.stored();
      expect([cut, dial_claimed_at, attempts]).toEqual([cut, START, 1]);
      expect(world.rung.length).toBeLessThanOrEqual(1);
      expectConsistent(world);
    }
  });

  it.each<[string, Call, Parameters<typeof callWorld>[1], string]>([
    ['it has no slot', aCall(), {}, 'no_slot'],
    ['dialing is paused', aReservedCall(), { slots: [{ scope: 'stage', live: 1, paused_at: START }] }, 'paused'],
    ['its organization is suspended', aReservedCall(), { org: { suspended_at: START } }, 'org_suspended'],
  ])('waits without a slot, and rings no phone, while %s', async (_name, call, contents, why) => {
    const world = callWorld([call], contents);
    expect(await world.dialCall()).toBe(why);
    expect(world.stored()).toEqual(aCall());
    expect(world.rung).toEqual([]);
    expect(world.deps.slotsQueue.sent.length).toBe(call.slots ? 1 : 0);
    expectConsistent(world);
  });

  it.each<[string, Partial<Call>]>([
    ['claimed its dial', { status: 'dialing', dial_claimed_at: START }],
    ['learned its platform id', { platform_id: 'p7' }],
    ['ended it', { status: 'canceled' }],
    ['postponed it', { status: 'scheduled' }],
    ['gave back its slots', { reserved_at: undefined, slots: undefined }],
  ])('rings no phone if another worker %s after the call was read', async (_name, change) => {
    const world = callWorld();
    world.beforeNextWrite(() => world.change(change));
    expect(await world.dialCall()).toBe('not_waiting');
    expect(world.stored()).toEqual(JSON.parse(JSON.stringify({ ...aReservedCall(), ...change })));
    expect([world.rung, world.live()]).toEqual([[], liveInBoth(1)]);
  });

  it.each<[string, Partial<Call>]>([
    ['its dial has been moved to a later time', { dial_after: secondsAfter(START, 1) }],
    ['its time to be dialed has passed', { dial_by: START }],
  ])('rings no phone, and gives back its slots at once, if %s', async (_name, change) => {
    const world = callWorld();
    world.beforeNextWrite(() => world.change(change));
    expect(await world.dialCall()).toBe('not_waiting');
    expect(world.stored()).toEqual(aCall(change));
    expect(world.rung).toEqual([]);
    expect(world.deps.slotsQueue.sent).toHaveLength(1);
    expectConsistent(world);
  });

  it.each<[string, (world: CallWorld) => void]>([
    ['its assistant cannot be read', ({ deps }) => failing(deps.assistants, 'get')],
    ['its knowledge cannot be read', ({ deps }) => failing(deps.knowledge, 'read')],
    ['its organization cannot be read', ({ deps }) => failing(deps.organizations, 'get')],
    ['the gate cannot be read', ({ deps }) => failing(deps.gate, 'read')],
  ])('gives its line to other calls for two minutes if %s', async (_name, fail) => {
    const world = callWorld();
    fail(world);
    await expect(world.dialCall()).rejects.toThrow('cannot be read');
    expect(world.stored()).toEqual(aCall({ dial_after: secondsAfter(START, 120) }));
    const { org_id } = aCall();
    expect(world.deps.slotsQueue.sent).toMatchObject([
      { message: { org_id, at: START } },
      { message: { org_id }, delay: 121 },
    ]);
    expectConsistent(world);
  });

  it.each<[string, TableName, object, string]>([
    ['its number is put on the do-not-call list', 'do-not-call', { phone: aCall().phone_number }, 'do_not_call'],
    ['its organization is suspended', 'organizations', { ...anOrg(), suspended_at: START }, 'org_suspended'],
    ['its country is switched off', 'organizations', { ...elsewhere(), held: HOLD }, 'destination_not_allowed'],
  ])('rings no phone if %s while the dial waits for its turn', async (_what, table, item, result) => {
    const world = callWorld();
    world.deps.dialRates = { stage: 1, number: 1 };
    await world.stores.gate.takeMoment(undefined, world.deps.dialRates, new Date(START));
    world.deps.sleep = async (ms) => {
      world.pass(ms / 1000);
      world.put(table, { org_id: ORG, ...item });
    };
    expect([await world.dialCall(), world.rung]).toEqual([result, []]);
  });

  const listed = { org_id: ORG, phone: aCall().phone_number, added_at: START };
  it.each<[string, Contents, string, string]>([
    ['its assistant was deleted', { assistants: [] }, 'failed', 'assistant_missing'],
    ['its number is on the do-not-call list', { 'do-not-call': [listed] }, 'canceled', 'do_not_call'],
  ])('ends the call without a charge if %s', async (_name, contents, status, ended_reason) => {
    const world = callWorld([aReservedCall()], contents);
    expect(await world.dialCall()).toBe(ended_reason);
    expect(world.stored()).toMatchObject({ status, ended_reason, cost: 0, unfinished: 'ended' });
    expect(world.credit()).toEqual({ available: CREDIT, held: 0 });
    expect(world.rung).toEqual([]);
    expectConsistent(world);
  });

  it.each([
    ['a client', {}],
    ['a lead', { lead: aCalledLead(), claims_day: MONDAY, held: 0, holds: 0 }],
  ])('ends a call of %s whose country is switched off at the moment of its dial claim', async (_whose, over) => {
    const world = callWorld([aReservedCall(over)], { org: { countries: [] } });
    const { transact } = world.deps;
    world.deps.transact = async (writes, options) => {
      if ('call' in writes && world.stored().status === 'queued') {
        world.deps.transact = transact;
        await switchIndiaOff(world);
      }
      return transact(writes, options);
    };
    expect(await world.dialCall()).toBe('destination_not_allowed');
    expect(world.stored()).toMatchObject({ status: 'canceled', ended_reason: 'destination_not_allowed', cost: 0 });
    expect([world.rung, world.claims()]).toEqual([[], []]);
    expect(world.entries().map(({ outcome, reason }) => `${outcome}: ${reason}`)).toEqual(
      'lead' in over
        ? [
            expect.stringMatching(
              /^destination_not_allowed: Numbers in India \(IN\) are not called .* can allow them\.$/,
            ),
          ]
        : [],
    );
    expectConsistent(world);
  });

  it.each([
    ['AE', 'destination_not_allowed'],
    ['US', 'accepted'],
  ])('checks the country of its number again in the dial claim: %s is switched off', async (off, result) => {
    const world = callWorld([aReservedCall({ phone_number: '+971501234567' })], { org: { countries: ['AE', 'US'] } });
    const { transact } = world.deps;
    world.deps.transact = async (writes, options) => {
      world.deps.transact = transact;
      const set = { countries: ['AE', 'US'].filter((country) => country !== off) };
      const waking = { ...world.deps, handOverSlots: async () => {} };
      await updateOrganization(waking, { kind: 'operator', name: 'ops' }, { org_id: ORG }, { set });
      return transact(writes, options);
    };
    expect([await world.dialCall(), world.rung.length]).toEqual([result, result === 'accepted' ? 1 : 0]);
  });

  it.each([
    ['lead', leadClaimKey('conn_1', aCalledLead().lead_id, MONDAY), 'already_called'],
    ['phone', phoneClaimKey(ORG, aCall().phone_number, MONDAY), 'phone_already_called'],
  ])(
    "cancels a lead's call of yesterday if another event claims its %s before the dial",
    async (_what, key, outcome) => {
      const world = callWorld([aReservedCall({ lead: aCalledLead(), claims_day: '2026-03-01' })]);
      world.beforeNextWrite(() => world.put('claims', aClaim(key)));
      expect(await world.dialCall()).toBe(outcome);
      expect(world.stored()).toMatchObject({ status: 'canceled', ended_reason: outcome, cost: 0 });
      expect([world.rung, world.claims()]).toEqual([[], [`${key} = evt_0`]]);
      expect(world.outcomes()).toEqual([`evt_1.dial dial: ${outcome}`]);
      expectConsistent(world);
    },
  );

  it.each([
    ['lead', leadClaimKey('conn_1', hidden(aCalledLead().lead_id), MONDAY), 'already_called'],
    ['phone', phoneClaimKey(ORG, hidden(aCall().phone_number), MONDAY), 'phone_already_called'],
  ])("cancels a lead's call if a call of today to its %s is erased before the dial", async (_what, key, outcome) => {
    for (const claims_day of ['2026-03-01', MONDAY]) {
      const world = callWorld([aReservedCall({ lead: aCalledLead(), claims_day })]);
      world.beforeNextWrite(() => world.put('claims', aClaim(key)));
      expect(await world.dialCall()).toBe(outcome);
      expect(world.stored()).toMatchObject({ status: 'canceled', ended_reason: outcome, cost: 0 });
      expect([world.rung, world.claims()]).toEqual([[], [`${key} = evt_0`]]);
      expectConsistent(world);
    }
  });

  it('reads only the call if the call has no slot', async () => {
    const world = callWorld([aCall()]);
    expect([await world.dialCall(), world.requests]).toEqual(['no_slot', ['Get calls']]);
  });

  it('composes its texts before its claim, so that a slow or hostile text cannot hide a dial', async () => {
    const assistant = anAssistant();
    Object.defineProperty(assistant, 'prompt', {
      get: () => {
        throw new Error('too slow');
      },
    });
    const world = callWorld();
    world.deps.assistants.get = async () => assistant;
    await expect(world.dialCall()).rejects.toThrow('too slow');
    expect([world.stored(), world.rung]).toEqual([aCall({ dial_after: secondsAfter(START, 120) }), []]);
  });

  it('is retried after a few seconds if other workers keep writing the same items', async () => {
    const world = callWorld();
    world.beforeNextWrite(() => {
      throw new TransactionContention('8 tries');
    });
    expect(await world.dialCall()).toBe('contended');
    expect(world.deps.dialQueue.sent).toMatchObject([{ message: { call_id: CALL }, delay: 5 }]);
    expect([world.stored(), world.rung]).toEqual([aReservedCall(), []]);
  });
});

describe('the outcome of a dial', () => {
  const settled = async (dialing: DialOutcome) => {
    const world = Object.assign(callWorld(), { dialing });
    const result = await world.dialCall();
    expectConsistent(world);
    return { world, result };
  };

  it('ends a refused call without a charge', async () => {
    const { world, result } = await settled({ kind: 'refused', reason: 'platform answered 400' });
    expect(result).toBe('refused');
    const end = { status: 'failed', ended_reason: 'platform answered 400', cost: 0, unfinished: 'ended' };
    expect(world.stored()).toMatchObject(end);
    expect([world.live(), world.credit()]).toEqual([{}, { available: CREDIT, held: 0 }]);
  });

  it.each([true, false])(
    'gives the claim back if no phone rang, with back-off (operator: %s)',
    async (isOperatorFault) => {
      const { world, result } = await settled({ kind: 'not_dialed', reason: '429', isOperatorFault });
      expect(result).toBe('not dialed: 429');
      const dial_after = secondsAfter(START, 15);
      expect(world.stored()).toEqual(aCall({ status: 'dialing', attempts: 1, dial_after, ...DIALED }));
      expect(world.live()).toEqual({});
      expect(world.deps.slotsQueue.sent).toMatchObject([{ message: { org_id: ORG, at: dial_after }, delay: 16 }]);
      expect(world.counted).toEqual(isOperatorFault ? ['DialOperatorFault'] : []);
      expect([await world.dialCall(), await world.handOver({ org_id: ORG })]).toEqual(['no_slot', 0]);
      world.now = dial_after;
      expect(await world.handOver({ org_id: ORG })).toBe(1);
      world.dialing = { kind: 'accepted', platformId: 'p2' };
      expect(await world.dialCall()).toBe('accepted');
      expect(world.stored()).toMatchObject({ attempts: 2, platform_id: 'p2', dial_claimed_at: dial_after });
    },
  );

  it('keeps claim and slots if it is unknown', async () => {
    const { world, result } = await settled({ kind: 'unknown', reason: 'ETIMEDOUT' });
    expect(result).toBe('unknown: ETIMEDOUT');
    expect(world.stored()).toEqual(aClaimedCall({ dial_claimed_at: START, progress_at: START, ...DIALED }));
    expect(world.live()).toEqual(liveInBoth(1));
  });

  const [second, none] = [new Set(['p1']), undefined];

  it.each<[string, Partial<Call>, Call['second_platform_ids'], string[], string[]]>([
    ['the same attempt is live under another id', { platform_id: 'p7' }, second, ['DoubleDial'], ['p1']],
    ['a message revealed the same id first', { platform_id: 'p1', status: 'ringing' }, none, [], []],
    ['its report came first', { status: 'completed', platform_id: 'p1' }, none, [], []],
    ['it was given back under its id', { dial_claimed_at: undefined, former_platform_ids: second }, none, [], []],
    ['the claim was given back as absent', { dial_claimed_at: undefined }, second, [], []],
    ['a later attempt has the claim', { dial_claimed_at: secondsAfter(START, 60), platform_id: 'p7' }, second, [], []],
    ['the service has ended the call', { status: 'failed', ended_reason: 'lost' }, second, [], ['p1']],
  ])(
    'counts a double dial only if two calls of one attempt are live, and stores an unknown id for erasures: %s',
    async (_name, change, stored, counted, hungUp) => {
      const world = callWorld();
      const { dial } = world.deps.voice;
      world.deps.voice.dial = async (request) => {
        world.beforeNextWrite(() => world.change(change));
        return dial(request);
      };
      expect(await world.dialCall()).toBe('accepted');
      expect([world.stored().platform_id, world.counted]).toEqual([change.platform_id, counted]);
      expect([world.hungUp, world.stored().second_platform_ids]).toEqual([hungUp, stored]);
    },
  );

  it('hangs up a call that was erased before its dial had an answer, and stores its id for a further erasure', async () => {
    const world = callWorld();
    const { dial } = world.deps.voice;
    const tombstone = { call_id: world.stored().call_id, erased_of: ORG, erased_at: START };
    world.deps.voice.dial = async (request) => {
      world.beforeNextWrite(() => world.put('calls', tombstone));
      return dial(request);
    };
    expect(await world.dialCall()).toBe('accepted');
    expect([world.hungUp, world.all('calls')]).toEqual([
      ['p1'],
      [{ ...tombstone, late_platform_ids: new Set(['p1']) }],
    ]);
  });
});
