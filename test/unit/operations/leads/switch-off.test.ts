import type { Call } from '../../../../shared/domain/calls/call.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import type { Lead } from '../../../../shared/domain/leads/lead.ts';
import type { LeadReading } from '../../../../shared/integrations/crm-b/lead-record.ts';
import type { SwitchOff } from '../../../../shared/messages/switch-off.ts';
import { dialOnce } from '../../../../shared/operations/calls/dialing/dial-once.ts';
import { handOverSlots } from '../../../../shared/operations/calls/hand-over-slots.ts';
import { cancelCallsOfConnection } from '../../../../shared/operations/leads/cancel-calls-of-connection.ts';
import { reportSwitchOff } from '../../../../shared/operations/leads/report-switch-off.ts';
import { aCrmAConnection, aCrmAEvent, crmALeads } from '../../support/crm-a-leads.ts';
import { anOrg, CREDIT, ist, MONDAY, ORG, TUESDAY } from '../../support/worlds/items.ts';
import {
  aCallingConnection,
  aClaim,
  aQueuedLead,
  aScheduledLead,
  CONNECTION,
  claimsOf,
  connectionHas,
  crmSays,
  expectBooks,
  found,
  HOLD,
  type LeadWorld,
  leadWorld,
  NOON,
  namedOnly,
  OTHER_PHONE,
  PHONE,
  stored,
  unavailable,
  windowOf,
} from '../../support/worlds/lead-world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const OFF = { auto_call: false };
const NOTHING_HELD = { available: CREDIT, held: 0 };

/** Leads whose calls wait for a line, each with a different phone. */
async function waitingLeads(count: number) {
  const world = leadWorld();
  world.crm = (lead_id) => found({ lead_id, phones: [`98765 4${lead_id}`] });
  for (let index = 1; index <= count; index += 1)
    await world.process(world.event({ event_id: `evt_${index}`, lead: namedOnly(String(1000 + index)) }));
  const dialAll = async () => {
    const results: string[] = [];
    for (let index = 1; index <= count; index += 1) results.push(await world.dial(`evt_${index}`));
    return results;
  };
  const expectAllStopped = (reason: string) => {
    const outcome = 'auto_call_disabled';
    expect(world.calls()).toMatchObject(Array(count).fill({ status: 'canceled', ended_reason: outcome }));
    expect(world.entries().filter(({ source }) => source === 'dial')).toMatchObject(
      Array(count).fill({ outcome, reason }),
    );
    expect([world.claims(), world.credit(), world.rung, world.counted]).toEqual([[], NOTHING_HELD, [], []]);
    expectBooks(world);
  };
  return Object.assign(world, { dialAll, expectAllStopped });
}

describe('calls of leads that wait for a line', () => {
  const switches: [string, Partial<Connection>, string][] = [
    ['auto-call is switched off', OFF, 'Auto-call is off for this connection.'],
    ['the connection is disconnected', { grant: undefined }, 'The connection is disconnected.'],
  ];

  it.each(switches)('are canceled, and their claims and credit are freed, once %s', async (_what, change, reason) => {
    const world = await waitingLeads(8);
    await world.switchOff(world.connectionChange(change));
    world.expectAllStopped(reason);
    expect(await world.dialAll()).toEqual(Array(8).fill('not_waiting'));
  });

  it.each(switches)('do not ring once %s, even if no call was canceled yet', async (_what, change, reason) => {
    const world = await waitingLeads(8);
    connectionHas(change)(world);
    expect(await world.dialAll()).toEqual(Array(8).fill('auto_call_disabled'));
    world.expectAllStopped(reason);
  });

  it('are canceled in pages, waiting calls before scheduled ones, wherever a worker dies', async () => {
    const begin = async () => {
      const world = await waitingLeads(7);
      world.now = ist(MONDAY, '22:30');
      await world.process(world.event({ event_id: 'evt_8', lead: namedOnly('1008') }));
      return Object.assign(world, { change: world.connectionChange(OFF) });
    };
    const calm = await begin();
    // The in-memory database reads three entries at a time.
    expect(await calm.switchOff(calm.change)).toEqual(['3 calls', '3 calls', '1 calls', '0 calls', '1 calls']);
    for await (const [world] of worldThatDies(begin, (each) => each.switchOff(each.change))) {
      await world.switchOff(world.change);
      expect(world.calls().map(({ status }) => status)).toEqual(Array(8).fill('canceled'));
      expect([world.claims(), world.credit()]).toEqual([[], NOTHING_HELD]);
      expect(world.entries()).toHaveLength(16);
    }
  });

  it('are canceled even if one of them cannot be read, which is retried separately', async () => {
    const world = await waitingLeads(7);
    const poison = world.all('calls')[0] as Call;
    world.put('calls', { ...poison, created_at: 0 });
    await reportSwitchOff(world.deps, [world.connectionChange(OFF)]);
    const refused: SwitchOff[] = [];
    const { sent } = world.deps.switchOffs;
    for (let next = sent.shift(); next; next = sent.shift()) {
      const { message } = next;
      await cancelCallsOfConnection(world.deps, message).catch(() => refused.push(message));
    }
    const canceled = () => world.all('calls').filter(({ status }) => status === 'canceled');
    expect(refused).toEqual([{ connection_id: CONNECTION, call_id: poison.call_id }]);
    expect(canceled()).toHaveLength(6);
    world.put('calls', poison);
    expect(await cancelCallsOfConnection(world.deps, refused[0] as SwitchOff)).toBe('1 call');
    expect(canceled()).toHaveLength(7);
  });

  it('are kept if the connection is on again', async () => {
    const world = await waitingLeads(2);
    const off = world.connectionChange(OFF);
    world.connectionChange({ auto_call: true });
    expect(await world.switchOff(off)).toEqual(['not_off']);
    expect(await world.dialAll()).toEqual(['accepted', 'accepted']);
  });

  it('are not canceled if they already ring or belong to another connection', async () => {
    const world = await waitingLeads(2);
    world.put('connections', aCallingConnection({ connection_id: 'conn_2' }));
    await world.process(world.event({ connection_id: 'conn_2', event_id: 'evt_3', lead: namedOnly('1003') }));
    await world.dial('evt_1');
    await world.switchOff(world.connectionChange(OFF));
    expect(world.calls().map(({ status }) => status)).toEqual(['dialing', 'canceled', 'queued']);
  });

  it('of CRM-A are stopped, too', async () => {
    const world = crmALeads();
    await world.process(aCrmAEvent());
    world.put('connections', aCrmAConnection(OFF));
    expect(await world.dial()).toBe('auto_call_disabled');
    expect([world.claims(), world.rung]).toEqual([[], []]);
  });
});

describe('a lead of CRM-B that has waited for ten minutes', () => {
  /** A call placed at noon that may be dialed at 12:10. */
  const afterTenMinutes = async () => {
    const world = await aQueuedLead();
    world.now = ist(MONDAY, '12:10');
    world.fetched.length = 0;
    return world;
  };
  const NEW_PHONE = found({ phones: ['98123 45678'] });

  it('is not read again before these ten minutes have passed', async () => {
    const world = await aQueuedLead();
    world.fetched.length = 0;
    world.now = ist(MONDAY, '12:09:59');
    expect(await world.dial()).toBe('accepted');
    expect(world.fetched).toEqual([]);
  });

  const OWN = anOrg({ platform_numbers: [PHONE] });

  it.each<[string, number, (world: LeadWorld) => unknown]>([
    ['it was read a minute ago', 60, () => undefined],
    ['it was read long ago, and CRM-B does not answer', 660, crmSays(unavailable('down'))],
  ])('does not ring at a number that has become one of the organization although %s', async (_why, seconds, change) => {
    const world = await aQueuedLead();
    change(world);
    world.pass(seconds);
    world.put('organizations', OWN);
    expect(await world.dial()).toBe('own_platform_number');
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: 'own_platform_number' });
    expect(world.rung).toEqual([]);
  });

  it('rings at its new phone, if its former one has become one of the organization', async () => {
    const world = await afterTenMinutes();
    crmSays(NEW_PHONE)(world);
    world.put('organizations', OWN);
    expect([await world.dial(), await world.dial()]).toEqual(['phone_changed', 'accepted']);
  });

  it.each<[string, (world: LeadWorld) => unknown]>([
    ['the lead has not changed', () => undefined],
    ['CRM-B does not answer', crmSays(unavailable('down'))],
    ['CRM-B refuses', crmSays({ kind: 'unavailable', reason: 'NO_PERMISSION', isFinal: true })],
  ])('is read once more, and rings if %s', async (_what, change) => {
    const world = await afterTenMinutes();
    change(world);
    expect(await world.dial()).toBe('accepted');
    expect([world.fetched, world.rung.length]).toEqual([['1001'], 1]);
  });

  const gone: LeadReading = { kind: 'unavailable', reason: 'revoked', isFinal: true, needsConsent: true };
  it.each<[string, (world: LeadWorld) => unknown]>([
    ['owner_mismatch', crmSays(found({ owner_id: 'owner-2' }))],
    ['owner_mismatch', connectionHas({ trigger_owner_user_id: 'owner-2' })],
    ['do_not_call', crmSays(found({ do_not_call: true }))],
    ['no_dialable_phone', crmSays(found({ phones: [] }))],
    ['lead_not_found', crmSays({ kind: 'not_found' })],
    ['crm_unavailable', crmSays(gone)],
  ])('does not ring if it no longer matches: %s', async (outcome, change) => {
    const world = await afterTenMinutes();
    change(world);
    expect(await world.dial()).toBe(outcome);
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: outcome });
    expect(world.entries().at(-1)).toMatchObject({ event_id: 'evt_1.dial', source: 'dial', outcome });
    expect([world.claims(), world.credit(), world.rung]).toEqual([[], NOTHING_HELD, []]);
  });

  it('rings at its new phone, and takes the claim on it', async () => {
    const world = await afterTenMinutes();
    crmSays(NEW_PHONE)(world);
    expect(await world.dial()).toBe('phone_changed');
    expect(world.claims()).toEqual(claimsOf(MONDAY, OTHER_PHONE));
    // The second message, after the hand-over's message.
    expect(world.deps.dialQueue.due()).toHaveLength(2);
    expect(await world.dial()).toBe('accepted');
    expect([world.rung.map(({ phone }) => phone), world.fetched]).toEqual([[OTHER_PHONE], ['1001']]);
  });

  it.each<[string, (world: LeadWorld) => unknown]>([
    ['phone_already_called', stored('claims', aClaim(`phone#${ORG}#${OTHER_PHONE}#${MONDAY}`))],
    ['do_not_call', stored('do-not-call', { org_id: ORG, phone: OTHER_PHONE, added_at: NOON })],
    ['destination_not_allowed', crmSays(found({ phones: ['+19005551234'] }))],
  ])('does not ring at a new phone that must not be called: %s', async (outcome, change) => {
    const world = await afterTenMinutes();
    crmSays(NEW_PHONE)(world);
    change(world);
    expect(await world.dial()).toBe(outcome);
    expect(world.claims().filter((claim) => claim.endsWith('= evt_1'))).toEqual([]);
    expect(world.rung).toEqual([]);
  });

  it.each([
    ['before its first dial', false],
    ['after a dial that rang no phone, whose hold is released', true],
  ])('is charged at the rate of its new phone, %s', async (_when, isHolding) => {
    const world = leadWorld({ organizations: [anOrg({ rates: { AE: 2_500 } })] });
    await world.process(world.event());
    if (isHolding) {
      world.dialing = { kind: 'not_dialed', reason: 'busy', isOperatorFault: false };
      expect(await world.dial()).toBe('not dialed: busy');
      expect(world.credit().held).toBe(HOLD);
      world.dialing = { kind: 'accepted', platformId: 'p1' };
    }
    world.pass(601);
    crmSays(found({ phones: ['+971501234567'] }))(world);
    expect(await world.dial()).toBe('phone_changed');
    expect([world.credit(), world.call().rate]).toEqual([NOTHING_HELD, 2_500]);
    expect(await world.dial()).toBe('accepted');
    expect([world.credit().held, world.call().held]).toEqual([2.5 * HOLD, 2.5 * HOLD]);
    expectBooks(world);
  });

  it('rings once at its new phone, wherever a worker dies', async () => {
    const begin = async () => {
      const world = await afterTenMinutes();
      crmSays(NEW_PHONE)(world);
      return world;
    };
    for await (const [world] of worldThatDies(begin, (each) => each.dial())) {
      for (let tries = 0; tries < 2; tries += 1) await world.dial();
      expect(world.rung.map(({ phone }) => phone)).toEqual([OTHER_PHONE]);
      expect(world.claims()).toEqual(claimsOf(MONDAY, OTHER_PHONE));
      expectBooks(world);
    }
  });

  it('counts its wait from its release if it was scheduled', async () => {
    const world = leadWorld();
    world.now = ist(MONDAY, '22:30');
    await world.process(world.event());
    world.now = ist(TUESDAY, '09:00');
    await world.release(world.releaseMessage());
    world.fetched.length = 0;
    world.now = ist(TUESDAY, '09:09');
    expect(await world.dial()).toBe('accepted');
    expect(world.fetched).toEqual([]);
  });

  it('is not read if it is a test', async () => {
    const test = { test: true, source: 'test', lead: { ...found(), ...namedOnly(), phones: [PHONE] } } as const;
    const world = leadWorld();
    world.now = NOON;
    const lead: Lead = { ...namedOnly(), phones: [PHONE], owner_id: 'owner-1' };
    await world.process(world.event({ ...test, lead }));
    world.now = ist(MONDAY, '13:00');
    expect(await world.dial()).toBe('accepted');
    expect(world.fetched).toEqual([]);
  });
});

it('a switch-off cancels a scheduled call that a newer event confirms at the same moment', async () => {
  const world = await aScheduledLead();
  const { lead, ...call } = world.call();
  world.hooks.before = async (operation) => {
    if (operation !== 'TransactWrite') return;
    world.hooks.before = undefined;
    expect(lead && (await world.stores.calls.confirmLead({ ...call, lead }, world.now))).toBe(true);
  };
  await world.switchOff(world.connectionChange(OFF));
  expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: 'auto_call_disabled' });
});

describe('a newer event of a lead whose call waits', () => {
  it.each<[string, LeadReading]>([
    ['do_not_call', found({ do_not_call: true })],
    ['owner_mismatch', found({ owner_id: 'owner-2' })],
  ])('stops that call: %s', async (outcome, reading) => {
    const world = await aQueuedLead();
    crmSays(reading)(world);
    expect(await world.process(world.event({ event_id: 'evt_2' }))).toBe(outcome);
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: outcome });
    expect(world.outcomes()).toEqual([
      'evt_1 webhook: call queued',
      `evt_1.dial dial: ${outcome}`,
      `evt_2 webhook: ${outcome}`,
    ]);
    expect([world.claims(), world.credit()]).toEqual([[], NOTHING_HELD]);
  });

  it.each<[string, Partial<Lead>]>([
    ['cannot be dialed', { phones: ['n/a'] }],
    ['is one of the organization’s own', { phones: ['+912071234567'] }],
  ])('stops that call by its do-not-call flag even if its present phone %s', async (_what, lead) => {
    const world = await aQueuedLead(NOON, { organizations: [anOrg({ platform_numbers: ['+912071234567'] })] });
    crmSays(found({ do_not_call: true, ...lead }))(world);
    await world.process(world.event({ event_id: 'evt_2' }));
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: 'do_not_call' });
    expect([world.claims(), world.credit()]).toEqual([[], NOTHING_HELD]);
  });

  it.each<[string, LeadReading]>([
    ['do_not_call', found({ do_not_call: true })],
    ['owner_mismatch', found({ owner_id: 'owner-2', phones: [] })],
  ])('stops that call even if it gets a slot at the same moment: %s', async (outcome, reading) => {
    const world = await aQueuedLead();
    const { call_id, org_id } = world.call();
    crmSays(reading)(world);
    world.beforeNextWrite(() => handOverSlots(world.deps, [{ org_id }]));
    await world.process(world.event({ event_id: 'evt_2' }));
    expect(await dialOnce(world.deps, call_id)).toBe('not_waiting');
    expect(world.call()).toMatchObject({ status: 'canceled', ended_reason: outcome });
    expect([world.rung, world.claims(), world.credit()]).toEqual([[], [], NOTHING_HELD]);
    expectBooks(world);
  });

  it('stops that call after midnight in India, too', async () => {
    const overNight = { settings: windowOf('22:00', '06:00') };
    const world = await aQueuedLead(ist(MONDAY, '23:55'), { connections: [aCallingConnection(overNight)] });
    world.now = ist(TUESDAY, '00:04');
    crmSays(found({ do_not_call: true }))(world);
    await world.process(world.event({ event_id: 'evt_2' }));
    expect(await world.dial()).toBe('not_waiting');
    expect([world.call().ended_reason, world.rung, world.claims()]).toEqual(['do_not_call', [], []]);
  });

  it('does not stop a ringing call, or another lead’s call to the same phone', async () => {
    const world = await aQueuedLead();
    crmSays(found({ lead_id: '1002', do_not_call: true }))(world);
    await world.process(world.event({ event_id: 'evt_2', lead: namedOnly('1002') }));
    expect(world.call().status).toBe('queued');
    await world.dial();
    crmSays(found({ do_not_call: true }))(world);
    await world.process(world.event({ event_id: 'evt_3' }));
    expect([world.call().status, world.claims()]).toEqual(['dialing', claimsOf(MONDAY)]);
  });

  it('is decided with the same result wherever its worker dies', async () => {
    const begin = async () => {
      const world = await aQueuedLead();
      crmSays(found({ do_not_call: true }))(world);
      return world;
    };
    const event = (world: LeadWorld) => world.event({ event_id: 'evt_2', connection_id: CONNECTION });
    for await (const [world] of worldThatDies(begin, (each) => each.process(event(each)))) {
      await world.process(event(world));
      expect([world.call().status, world.claims(), world.entries().length]).toEqual(['canceled', [], 3]);
    }
  });
});
