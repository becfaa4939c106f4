import { cancelClaimKey } from '../../../../../shared/domain/calls/dialing/cancel-claim.ts';
import { claimFor, expiringClaimFor } from '../../../../../shared/domain/calls/dialing/claim.ts';
import { leadClaimKey, phoneClaimKey } from '../../../../../shared/domain/calls/dialing/day-claims.ts';
import { sundayClaimKey } from '../../../../../shared/domain/calls/dialing/sunday-claim.ts';
import { phoneHash } from '../../../../../shared/domain/connections/phone-hash.ts';
import { erasedNumber } from '../../../../../shared/domain/organizations/erased-number.ts';
import { aCall, aCalledLead } from '../../../support/call.ts';
import { anEvent, erase, OTHER } from '../../../support/erasure/erasing.ts';
import { aCallOfPerson, aPersonsWorld, canaries, idOf, LEAD, PHONE } from '../../../support/erasure/person.ts';
import { MONDAY, ORG } from '../../../support/worlds/items.ts';
import { LIST_KEY } from '../../../support/worlds/world.ts';
import { worldThatDies } from '../../../support/worlds/world-that-dies.ts';

const AT = '2026-03-01T06:00:00.000Z';

const nothing = { files: 0, callbacks: 0, activity: 0, claims: 0, platform_calls: 0, remote_records: [] };
const CLAIMS_OF_OTHERS = "claims on the person's leads that calls to other numbers hold, with the lead's id in the CRM";

describe('erasing a person', () => {
  it('keeps the claims on the number of a call that was placed during the run', async () => {
    const city = aPersonsWorld([]);
    const placed = aCall({ call_id: idOf(4), phone_number: PHONE, lead: aCalledLead(), claims_day: MONDAY });
    const claim = expiringClaimFor(
      phoneClaimKey(ORG, PHONE, MONDAY),
      { ownerId: 'evt_4', callId: idOf(4), now: new Date(AT) },
      new Date(AT),
    );
    city.put('claims', claim);
    city.freezeIndexes();
    city.putCall(placed);
    await erase(city);
    expect(city.all('claims')).toEqual([claim]);
  });

  it("keeps today's claims of a call as keyed hashes at every moment, wherever it is interrupted", async () => {
    const begin = () => aPersonsWorld([aCallOfPerson(1, { claims_day: MONDAY })]);
    const hidden = (text: string) => erasedNumber(LIST_KEY, ORG, text);
    const claimsOn = (lead: string, phone: string) => [
      leadClaimKey('conn_1', lead, MONDAY),
      phoneClaimKey(ORG, phone, MONDAY),
    ];
    const [clear, erased] = [claimsOn(LEAD, PHONE), claimsOn(hidden(LEAD), hidden(PHONE))];
    for await (const [city, cut] of worldThatDies(begin, erase, 10)) {
      const held = () => city.all('claims').map(({ claim }) => String(claim));
      const ofEach = clear.map((key, index) => held().filter((one) => one === key || one === erased[index]).length);
      expect([cut, ofEach]).toEqual([cut, [1, 1]]);
      await erase(city);
      expect([cut, held().sort(), city.left(canaries)]).toEqual([cut, erased.toSorted(), []]);
    }
  });

  it('frees the claims on a lead whose calls are gone, as long as Activity names the lead', async () => {
    const city = aPersonsWorld([]);
    city.put('activity', anEvent('evt_9', { phone_hash: phoneHash(ORG, PHONE), lead_id: LEAD }));
    const taken = { ownerId: 'evt_0', callId: idOf(7), now: new Date('2025-12-15T06:00:00.000Z') };
    city.put('claims', claimFor(leadClaimKey('conn_1', LEAD, '2025-12-15'), taken));
    city.put('calls', { call_id: idOf(6), erased_of: ORG, erased_at: 'then', erasure_done_at: 'then', found: nothing });
    city.put('claims', claimFor(leadClaimKey('conn_1', LEAD, '2026-02-12'), { ...taken, callId: idOf(6) }));
    await erase(city);
    expect(city.all('claims')).toEqual([]);
  });

  it('keeps claims on a lead as keyed hashes as long as a message that needs them may be queued', async () => {
    const city = aPersonsWorld([]);
    city.put('activity', anEvent('evt_9', { phone_hash: phoneHash(ORG, PHONE), lead_id: LEAD }));
    const taken = { ownerId: 'evt_0', callId: idOf(7), now: new Date(AT) };
    for (const day of ['2026-03-01', '2026-02-13', '2026-02-12'])
      city.put('claims', claimFor(leadClaimKey('conn_1', LEAD, day), taken));
    await erase(city);
    const hidden = (day: string) => leadClaimKey('conn_1', erasedNumber(LIST_KEY, ORG, LEAD), day);
    const midnight = (day: string) => Date.parse(`${day}T00:00:00.000+05:30`) / 1000;
    expect(city.all('claims')).toMatchObject([
      { claim: hidden('2026-03-01'), owner_id: 'evt_0', expires_at: midnight('2026-03-19') },
      { claim: hidden('2026-02-13'), owner_id: 'evt_0', expires_at: midnight('2026-03-03') },
    ]);
    expect(city.left(canaries)).toEqual([]);
  });

  it('frees the claims on a lead while Activity still names it, and only once no event of the lead can be retried', async () => {
    const begin = () => {
      const city = aPersonsWorld([]);
      for (const id of ['evt_8', 'evt_9'])
        city.put('activity', {
          ...anEvent(id, { phone_hash: phoneHash(ORG, PHONE), lead_id: LEAD, outcome: 'expired' }),
          retryable: '{}',
        });
      const taken = { ownerId: 'evt_0', callId: idOf(7), now: new Date('2026-02-10T06:00:00.000Z') };
      city.put('claims', claimFor(leadClaimKey('conn_1', LEAD, '2026-02-10'), taken));
      return city;
    };
    for await (const [city, cut] of worldThatDies(begin, erase, 10)) {
      const isFreed = city.all('claims').length === 0;
      const retryable = city.all('activity').filter((entry) => entry.retryable !== undefined);
      expect([cut, isFreed && retryable.length > 0]).toEqual([cut, false]);
      await erase(city);
      expect([cut, city.left(canaries)]).toEqual([cut, []]);
    }
  });

  it('replaces a claim of the Sunday sweep by a keyed hash, which also ends 20 hours after the sweep', async () => {
    const city = aPersonsWorld([aCallOfPerson(1, { claims_day: '2026-02-10' })]);
    const key = sundayClaimKey('conn_1', LEAD);
    const at = new Date(city.ms - 19 * 3_600_000);
    city.put('claims', claimFor(key, { ownerId: 'evt_1', callId: idOf(1), now: at }));
    await erase(city);
    const hidden = sundayClaimKey('conn_1', erasedNumber(LIST_KEY, ORG, LEAD));
    expect(city.all('claims')).toEqual([
      {
        ...{ claim: hidden, owner_id: 'evt_1', call_id: idOf(1), at: at.toISOString() },
        expires_at: at.getTime() / 1000 + 20 * 3_600,
      },
    ]);
  });

  it('keeps the claim of a call that a person canceled as a keyed hash with the same end', async () => {
    const city = aPersonsWorld([aCallOfPerson(1, { claims_day: '2026-02-10' })]);
    const claim = claimFor(cancelClaimKey('conn_1', LEAD), { ownerId: 'evt_1', callId: idOf(1), now: new Date(AT) });
    city.put('claims', claim);
    await erase(city);
    const hidden = cancelClaimKey('conn_1', erasedNumber(LIST_KEY, ORG, LEAD));
    expect(city.all('claims')).toEqual([{ ...claim, claim: hidden }]);
    expect(city.left(canaries)).toEqual([]);
  });

  it('keeps claims on the lead that calls to other numbers hold, and reports them', async () => {
    const city = aPersonsWorld([aCallOfPerson(1, { claims_day: MONDAY })]);
    city.putCall(aCallOfPerson(8, { phone_number: OTHER }));
    for (const claim of city.all('claims')) city.put('claims', { ...claim, owner_id: 'evt_8', call_id: idOf(8) });
    const before = city.all('claims');
    expect(await erase(city)).toMatchObject({ receipt: { remains: expect.arrayContaining([CLAIMS_OF_OTHERS]) } });
    expect(city.all('claims')).toEqual(before);
    const remains = expect.not.arrayContaining([CLAIMS_OF_OTHERS]);
    expect(await erase(aPersonsWorld([]))).toMatchObject({ receipt: { remains } });
  });
});
