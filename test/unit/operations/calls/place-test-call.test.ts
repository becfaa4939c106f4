import type { Call } from '../../../../shared/domain/calls/call.ts';
import { sourceOf } from '../../../../shared/domain/calls/call-source.ts';
import type { Member } from '../../../../shared/domain/organizations/members/member.ts';
import { newestCreditEntries } from '../../../../shared/operations/calls/list-credit-entries.ts';
import { placeTestCall } from '../../../../shared/operations/calls/place-test-call.ts';
import type { Contents } from '../../support/worlds/database.ts';
import { anAssistant, anOrg, CREDIT, ORG } from '../../support/worlds/items.ts';
import { aWorld } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const PHONE = '+919812345678';
const priya: Member = {
  user_id: 'u1',
  org_id: ORG,
  email: 'priya@example.com',
  name: 'Priya',
  role: 'member',
  phone: PHONE,
  created_at: '2026-01-01T00:00:00.000Z',
};

function aHouse(over: Contents = {}) {
  const world = aWorld({ organizations: [anOrg()], assistants: [anAssistant()], ...over });
  let tokens = 0;
  const deps = { ...world.common, newToken: () => String(++tokens) };
  const place = (more: Partial<Parameters<typeof placeTestCall>[1]> = {}) =>
    placeTestCall(deps, {
      member: priya,
      requestId: `request-${++tokens}`,
      idempotencyKey: 'action-0001',
      assistant_id: 'asst_1',
      from: { address: '203.0.113.7', forwarded_for: '198.51.100.7' },
      metadata: { name: 'Meera' },
      ...more,
    });
  return Object.assign(world, { place });
}

describe('a test call', () => {
  it("rings the person's own phone once, however often the request is repeated and wherever it dies", async () => {
    for await (const [house, cut] of worldThatDies(aHouse, ({ place }) => place(), 3)) {
      const again = await house.place();
      const [call, ...others] = house.all('calls') as Call[];
      expect([cut, again, others]).toMatchObject([cut, { call: { call_id: call?.call_id } }, []]);
      expect(house.all('organizations')).toMatchObject([{ available: CREDIT - 10_000, held: 10_000 }]);
      expect(await newestCreditEntries(house.common, ORG, 9)).toMatchObject([{ kind: 'hold', held: 10_000 }]);
      expect(house.auditEntries()).toMatchObject([
        {
          action: 'call.test_placed',
          actor: { email: 'priya@example.com' },
          thing: { id: call?.call_id, name: '+91*******678' },
          after: { assistant: 'Asha', held: 10 },
        },
      ]);
    }
  });

  it('is a queued call with the values of the variables, marked as a test', async () => {
    const house = aHouse();
    const placed = await house.place();
    expect(placed).toMatchObject({
      kind: 'placed',
      call: { status: 'queued', phone_number: PHONE, request_metadata: { name: 'Meera' }, held: 10_000 },
    });
    const call = house.callOf((placed as { call: Call }).call.call_id);
    expect([sourceOf(call), call.tested_by, call.callback_url]).toEqual(['dashboard', 'u1', undefined]);
    expect(call.placed_by).toEqual({
      kind: 'member',
      user_id: 'u1',
      name: 'Priya',
      address: '203.0.113.7',
      forwarded_for: '198.51.100.7',
    });
    const [hold] = await newestCreditEntries(house.common, ORG, 9);
    expect([hold?.kind, hold?.key]).toEqual(['hold', undefined]);
    expect(JSON.stringify(house.auditEntries())).not.toMatch(/203\.0\.113|198\.51\.100/);
  });

  it('is another call with another key, or with the same key of another person', async () => {
    const house = aHouse();
    await house.place();
    await house.place({ idempotencyKey: 'action-0002' });
    await house.place({ member: { ...priya, user_id: 'u2' } });
    expect(house.all('calls')).toHaveLength(3);
  });

  const listed = { 'do-not-call': [{ org_id: ORG, phone: PHONE, added_at: '2026-01-01T00:00:00.000Z' }] };
  it.each<[string, Contents, object]>([
    ['no_phone', {}, { member: { ...priya, phone: undefined } }],
    ['do_not_call', listed, {}],
    ['org_suspended', { organizations: [anOrg({ suspended_at: '2026-01-01T00:00:00.000Z' })] }, {}],
    ['destination_not_allowed', { organizations: [anOrg({ default_region: 'AE', countries: [] })] }, {}],
    ['insufficient_credits', { organizations: [anOrg({ available: 9_999 })] }, {}],
    ['assistant_not_found', {}, { assistant_id: 'asst_2' }],
    ['assistant_not_found', { assistants: [anAssistant({ org_id: 'org2' })] }, {}],
  ])('is refused: %s', async (kind, over, more) => {
    const house = aHouse(over);
    expect(await house.place(more)).toMatchObject({ kind });
    expect([house.all('calls'), house.auditEntries(), house.all('credit-ledger')]).toEqual([[], [], []]);
  });

  it('is refused after 60 in a minute per organization, even concurrently', async () => {
    const house = aHouse({ organizations: [anOrg({ available: 1_000_000 })] });
    const place = (index: number) =>
      house.place({ idempotencyKey: `action-${index}`, member: { ...priya, user_id: `u${index % 2}` } });
    const atOnce = await Promise.all(Array.from({ length: 70 }, (_, index) => place(index)));
    const refused = atOnce.filter(({ kind }) => kind !== 'placed');
    expect(refused).toEqual(Array(10).fill({ kind: 'too_many_test_calls', resetSeconds: 60 }));
    house.pass(60);
    expect((await place(70)).kind).toBe('placed');
    expect(house.all('calls')).toHaveLength(61);
  });
});
