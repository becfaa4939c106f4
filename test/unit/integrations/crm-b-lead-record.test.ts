import fc from 'fast-check';
import { leadSchema } from '../../../shared/domain/leads/lead.ts';
import { getLead } from '../../../shared/integrations/crm-b/lead-record.ts';
import { aToken } from '../../support/connections/access-token.ts';

const access = { apiDomain: 'https://crm', token: async () => aToken('token') };
const reading = (body: unknown, id = '7') => getLead(async () => ({ kind: 'answered', status: 200, body }), access, id);

describe('an answer of CRM-B about a lead', () => {
  it('yields either a lead that can be queued or no lead', async () => {
    const names = ['Mobile', 'Phone', 'Home_Phone', 'Owner', 'Full_Name', 'City', 'Description', 'Do_Not_Call', 'x'];
    const record = fc.dictionary(fc.constantFrom(...names), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.oneof(record, fc.jsonValue()), async (value) => {
        expect((await reading({ data: value })).kind).toBe('unavailable');
        expect((await reading(value)).kind).toBe('unavailable');
        const found = await reading({ data: [{ ...Object(value), id: '7' }] });
        if (found.kind !== 'found') throw new Error(found.kind);
        const { lead } = found;
        expect(leadSchema.parse(JSON.parse(JSON.stringify(lead)))).toEqual(lead);
        expect(lead.phones.length).toBeLessThanOrEqual(1);
        expect(lead.fields).not.toHaveProperty('x');
        for (const text of Object.values(lead.fields)) expect(text).toMatch(/\S/);
      }),
    );
    expect(await reading({ data: [] })).toEqual({ kind: 'unavailable', reason: 'the answer contains no lead' });
  });

  it.each<[unknown, string | undefined]>([
    ['2026-03-02T12:00:05+05:30', '2026-03-02T06:30:05.000Z'],
    ['soon', undefined],
    [null, undefined],
  ])('says when the lead last changed: %j', async (Modified_Time, changedAt) => {
    expect(await reading({ data: [{ id: '7', Modified_Time }] })).toMatchObject({ kind: 'found' });
    expect(Object(await reading({ data: [{ id: '7', Modified_Time }] })).changedAt).toBe(changedAt);
  });

  it("names the owner by the owner's full name", async () => {
    const ownerOf = async (Owner: unknown) => {
      const found = await reading({ data: [{ id: '7', Owner }] });
      return found.kind === 'found' && [found.lead.owner_id, found.lead.owner_name];
    };
    expect(await ownerOf({ id: '5', name: 'R. Das', email: 'das@example.com' })).toEqual(['5', 'R. Das']);
    expect(await ownerOf({ id: '5', name: 'x'.repeat(1_000) })).toEqual(['5', 'x'.repeat(80)]);
    expect(await ownerOf({ id: '5', name: ['R. Das'] })).toEqual(['5', undefined]);
  });

  it('is ignored if it describes another lead', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[0-9]{1,19}$/), fc.stringMatching(/^[0-9]{1,19}$/), async (asked, told) => {
        const found = await reading({ data: [{ id: told }] }, asked);
        expect(found.kind).toBe(asked === told ? 'found' : 'unavailable');
      }),
    );
    expect(await reading({ data: [{ id: '8' }] })).toEqual({
      kind: 'unavailable',
      reason: 'the answer contains another lead',
    });
  });
});
