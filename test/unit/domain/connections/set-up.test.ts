import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { nextStepOf, setUpOf } from '../../../../shared/domain/connections/set-up.ts';
import { aConnection, aGrant } from '../../support/worlds/items.ts';
import { START } from '../../support/worlds/world.ts';

const channel = { id: '1', armed_at: START, expires_at: '2026-03-08T06:00:00.000Z' };
const people = { assistant_id: 'asst_1', trigger_owner_user_id: 'owner-1' };
const works = { grant: aGrant(), channel, channel_check: { at: START, status: 'active' as const }, ...people };
const organizations = [
  { id: '60001', name: 'Flats' },
  { id: '60002', name: 'Rentals' },
];

it.each<[Partial<Connection>, ReturnType<typeof nextStepOf>]>([
  [{ type: 'crm-a' }, 'token'],
  [{ type: 'crm-a', token_hash: 'x' }, 'assistant'],
  [{ type: 'crm-a', token_hash: 'x', assistant_id: 'asst_1' }, 'delivery'],
  [{ type: 'crm-a', token_hash: 'x', assistant_id: 'asst_1', last_delivery_at: START }, 'owner'],
  [{ type: 'crm-a', token_hash: 'x', ...people, last_delivery_at: START }, undefined],
  [{ type: 'crm-a', token_hash: 'x', rejection: { at: START, reason: 'unauthorized' } }, 'check_token'],
  [{}, 'consent'],
  [{ grant: aGrant(), channel }, 'assistant'],
  [{ ...works, reconnect_needed: { at: START, reason: 'invalid_code' } }, 'reconnect'],
  [{ grant: aGrant(), ...people }, 'wait_for_channel'],
  [{ ...works, silent_since: START }, 'check_channel'],
  [works, 'delivery'],
  [{ ...works, last_delivery_at: START }, undefined],
  [{ type: 'help-desk' }, 'consent'],
  [{ type: 'help-desk', grant: aGrant({ organizations }) }, 'organization'],
  [{ type: 'help-desk', grant: aGrant({ organizations }), settings: { orgId: '60001' } }, 'department'],
  [{ type: 'help-desk', grant: aGrant({ organizations }), settings: { orgId: '60001', departmentId: '7' } }, undefined],
])('%j needs %s next', (over, step) => {
  expect(nextStepOf(aConnection(over))).toBe(step);
});

it('lists the steps in order, and marks the completed ones', () => {
  expect(setUpOf(aConnection({ ...works, last_delivery_at: undefined }))).toEqual([
    { step: 'consent', is_done: true },
    { step: 'channel', is_done: true },
    { step: 'assistant', is_done: true },
    { step: 'owner', is_done: true },
    { step: 'delivery', is_done: false },
  ]);
});
