import { phoneClaimKey } from '../../../shared/domain/calls/dialing/day-claims.ts';
import { aCall, aCalledLead, aClaimedCall } from '../support/call.ts';
import { adminWorld } from '../support/worlds/admin-world.ts';
import { anOrg, ORG } from '../support/worlds/items.ts';

const phone = (digits: string) => `+91${digits}`;
const MISSPELLED = phone('09812345678');
const NUMBER = phone('9812345678');
const OTHERS = ['9812345671', '9812345672', '9812345673', '9812345674'];
const call_id = (digit: string) => `call_${digit.repeat(32)}`;
const DAY = '2026-03-02';
const lead = aCalledLead({ connection_id: 'conn_1', lead_id: 'lead_1', event_id: 'evt_1' });

/** Items that a stage of 0.5.0 may have stored, on more than one page of each table. */
function aStage() {
  const world = adminWorld({
    organizations: [
      ...OTHERS.map((_, index) => anOrg({ org_id: `org_${index}`, platform_numbers: [phone('8012345678')] })),
      anOrg({ platform_numbers: [phone('08012345678'), phone('8012345678'), phone('8012345679')], revision: 4 }),
      // An item with an organization's countries.
      { org_id: `${ORG}#countries`, countries: ['IN'] },
    ],
    'do-not-call': [
      ...OTHERS.map((number) => ({ org_id: ORG, phone: phone(number), added_at: 'then' })),
      { org_id: ORG, phone: MISSPELLED, added_at: 'before', call_id: 'call_7' },
      { org_id: 'org_1', phone: phone('09812345671'), added_at: 'before' },
      { org_id: 'org_1', phone: phone('9812345671'), added_at: 'then', added_by: 'asha' },
      { org_id: 'org_1', phone: 'erased#x', added_at: 'then', erased_at: 'then' },
    ],
    claims: [{ claim: phoneClaimKey(ORG, MISSPELLED, DAY), owner_id: 'evt_1', call_id: call_id('2'), at: 'then' }],
  });
  world.putCall(aCall({ call_id: call_id('1'), phone_number: MISSPELLED }));
  world.putCall(aCall({ call_id: call_id('2'), phone_number: MISSPELLED, lead, claims_day: DAY }));
  world.putCall(aClaimedCall({ call_id: call_id('3'), phone_number: MISSPELLED }));
  world.putCall(aCall({ call_id: call_id('4') }));
  world.putCall(aCall({ call_id: call_id('5'), phone_number: MISSPELLED, status: 'completed', unfinished: 'ended' }));
  return world;
}

const asked = async (world: ReturnType<typeof aStage>, command = 'stage respell') => {
  const { code, stdout } = await world.admin(command);
  return { code, ...JSON.parse(stdout) };
};

const entries = (world: ReturnType<typeof aStage>, org: string) =>
  world.all('do-not-call').filter(({ org_id }) => org_id === org);

const nothing = { code: 0, do_not_call: 0, organizations: 0, calls: 0, left: [] };

describe('stage respell', () => {
  it('rewrites the numbers of lists, organizations and unfinished calls; a repeat finds nothing', async () => {
    const world = aStage();
    const counts = { do_not_call: 2, organizations: 1, calls: 4 };
    expect(await asked(world, 'stage respell --dry-run')).toMatchObject({ code: 0, dry_run: true, ...counts });
    expect([world.auditEntries(), await world.stores.doNotCall.has(ORG, NUMBER)]).toEqual([[], false]);
    expect(await asked(world)).toMatchObject({ code: 0, dry_run: false, ...counts, left: [] });
    expect(await world.stores.doNotCall.has(ORG, NUMBER)).toBe(true);
    expect(entries(world, ORG)).toContainEqual({ org_id: ORG, phone: NUMBER, added_at: 'before', call_id: 'call_7' });
    expect(entries(world, 'org_1').map(({ phone, added_by }) => [phone, added_by])).toEqual([
      [phone('9812345671'), 'asha'],
      ['erased#x', undefined],
    ]);
    expect(world.find('organizations', { org_id: ORG })).toMatchObject({
      platform_numbers: [phone('8012345678'), phone('8012345679')],
      revision: 5,
    });
    expect(world.all('calls').map(({ phone_number, org_phone }) => [phone_number, org_phone])).toEqual(
      Array(5).fill([NUMBER, `${ORG}#${NUMBER}`]),
    );
    expect(world.all('claims')).toMatchObject([
      { claim: phoneClaimKey(ORG, NUMBER, DAY), owner_id: 'evt_1', call_id: call_id('2') },
    ]);
    expect(world.auditEntries().map(({ action }) => action)).toEqual(['stage.numbers_respelled', 'org.updated']);
    expect(await asked(world)).toMatchObject(nothing);
  });

  it('resumes an interrupted run, wherever it was interrupted', async () => {
    for (let cut = 1; cut <= 8; cut += 1) {
      const world = aStage();
      let writes = 0;
      world.hooks.before = (operation) => {
        if (operation === 'TransactWrite' && ++writes === cut) throw new Error('the terminal was closed');
      };
      const first = await world.admin('stage respell');
      expect([cut, first.code]).toEqual([cut, 1]);
      world.hooks.before = undefined;
      await asked(world);
      expect([cut, await asked(world)]).toMatchObject([cut, nothing]);
      expect([cut, await world.stores.doNotCall.has(ORG, NUMBER)]).toEqual([cut, true]);
    }
  });

  it('skips a call or a list that changed meanwhile, and names it without a number', async () => {
    const world = aStage();
    world.hooks.before = (operation, input) => {
      const written = JSON.stringify(input);
      if (operation !== 'TransactWrite') return;
      if (written.includes('"phone":"+919812345678"'))
        world.put('do-not-call', { org_id: ORG, phone: NUMBER, added_at: 'now' });
      if (written.includes(`"call_id":"${call_id('1')}"`))
        world.putCall(
          aCall({ call_id: call_id('1'), phone_number: MISSPELLED, progress_at: '2026-03-02T06:01:00.000Z' }),
        );
    };
    const { code, left, ...counts } = await asked(world);
    expect([code, counts]).toMatchObject([1, { do_not_call: 1, organizations: 1, calls: 3 }]);
    expect(left).toEqual([
      { of: 'do_not_call', org_id: ORG },
      { of: 'call', org_id: ORG, call_id: call_id('1') },
    ]);
    world.hooks.before = undefined;
    expect(await asked(world)).toMatchObject({ code: 0, do_not_call: 1, calls: 1, left: [] });
    expect(entries(world, ORG).filter(({ added_at }) => added_at === 'now')).toHaveLength(1);
  });

  it('skips a call whose phone another lead has rung today, and says what to do', async () => {
    const world = aStage();
    world.put('claims', { claim: phoneClaimKey(ORG, NUMBER, DAY), owner_id: 'evt_2', call_id: 'call_9', at: 'then' });
    const { code, stdout } = await world.atTerminal('stage respell');
    expect(code).toBe(1);
    expect(stdout).toContain(`Not rewritten: call of ${ORG}: ${call_id('2')}. Run the command again; cancel a call`);
    expect(world.callOf(call_id('2')).phone_number).toBe(MISSPELLED);
  });
});
