import { phoneHash } from '../../../../shared/domain/connections/phone-hash.ts';
import type { Actor } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { erasePerson } from '../../../../shared/operations/after-call/erasure/erase-person.ts';
import { exportPerson } from '../../../../shared/operations/after-call/erasure/export-person.ts';
import { aCall } from '../call.ts';
import { ORG } from '../worlds/items.ts';
import { aCallOfPerson, aPersonsWorld, idOf, LEAD, PHONE } from './person.ts';

export const operator: Actor = { kind: 'operator', name: 'ravi' };
export const OTHER = '+919812345678';
/** The person of the tests. */
export const PERSON = { org_id: ORG, phone: PHONE };

export const erase = (world: ReturnType<typeof aPersonsWorld>) => erasePerson(world.deps, operator, PERSON);

export const filesOf = (world: ReturnType<typeof aPersonsWorld>) => ({
  findText: async (key: string) => world.files.get(key),
});

export const exportOf = (world: ReturnType<typeof aPersonsWorld>) =>
  exportPerson({ ...world.deps, files: filesOf(world) }, operator, PERSON);

/** An entry of Activity of an event without a call. */
export const anEvent = (event_id: string, over: object) => ({
  ...{ connection_id: 'conn_1', event_id, org_id: ORG, at: '2026-03-01T05:00:00.000Z', source: 'webhook', test: false },
  ...{ event: 'lead_edited', outcome: 'owner_mismatch', reason: 'Asha Iyer', payload_keys: [], expires_at: 4e9 },
  ...over,
});

/** Three calls of the person, events without a call, and another person's call. */
export function aCity() {
  const another = aCall({ call_id: idOf(8), phone_number: OTHER, status: 'no_answer', unfinished: undefined });
  const world = aPersonsWorld([1, 2, 3].map((number) => aCallOfPerson(number)));
  world.putCall(another);
  // One item has no number, one only a number.
  world.put('activity', anEvent('evt_8', { lead_id: LEAD }));
  world.put('activity', anEvent('evt_9', { phone_hash: phoneHash(ORG, PHONE), lead_id: 'lead-78' }));
  world.put(
    'activity',
    anEvent('evt_7', { lead_id: 'lead-of-another', phone_hash: phoneHash(ORG, OTHER), reason: '-' }),
  );
  return world;
}

/** An entry of a lead that is called at another number, or at none, with its stored event. */
export const anEventAt = (
  event_id: string,
  lead: { phones?: string[]; fields?: Record<string, string> },
  over = {},
) => {
  const stored = {
    ...{ event_id, connection_id: 'conn_1', source: 'webhook', event: 'new_lead', test: false, payload_keys: [] },
    ...{ at: '2026-03-01T05:00:00.000Z', lead: { lead_id: LEAD, do_not_call: false, phones: [], fields: {}, ...lead } },
  };
  return anEvent(event_id, {
    ...{ outcome: 'insufficient_credits', phone_hash: phoneHash(ORG, OTHER), lead_id: LEAD, owner_id: 'o' },
    ...{ reason: 'Too little credit.', retryable: JSON.stringify(stored), ...over },
  });
};

/** Leads whose events are stored for a retry, with the number as people write it, beside another number. */
export const furtherNumbers: [where: string, lead: Parameters<typeof anEventAt>[1]][] = [
  ['its second phone', { phones: [OTHER, '098765 43210'], fields: { FirstName: 'Asha Iyer' } }],
  ['a phone field with two numbers', { phones: [`${OTHER} / +91-98765-43210`] }],
  ['a field that is not a phone to dial', { phones: ['98123 45678'], fields: { mx_Alternate: '98765-43210' } }],
];
