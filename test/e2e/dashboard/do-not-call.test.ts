import { addDoNotCall, listDoNotCall, removeDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { acting, aMember } from '../../support/dashboard/dashboard.ts';
import { anOrg, stores } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, postCall } from '../../support/rest/rest.ts';

describe('add-do-not-call, list-do-not-call and remove-do-not-call', () => {
  it('prevent calls to a number from the next request on, until it is removed with a reason', async () => {
    const org = await anOrg();
    const admin = await aMember(org, 'admin');
    const asAdmin = await acting(admin);
    const phone_number = aPhoneNumber();
    const call = () => postCall(org, { phone_number, assistant_id: org.assistantId });
    const typed = `0${phone_number.slice(3)}`;
    const added = await asAdmin(addDoNotCall, { body: { phones: [typed, phone_number] } });
    expect(added).toMatchObject({ status: 200, body: { added: 1, listed: 0, duplicates: 1, wrong: [] } });
    expect(await call()).toMatchObject({ status: 403, body: { error: 'do_not_call' } });

    const { items } = listDoNotCall.answer.parse((await asAdmin(listDoNotCall)).body);
    expect(items).toMatchObject([{ phone: phone_number, call_id: null, added_by: admin.email }]);
    const ids = { phone: phone_number.slice(1) };
    expect((await asAdmin(removeDoNotCall, { body: { reason: ' ' } }, ids)).status).toBe(400);
    expect((await asAdmin(removeDoNotCall, { body: { reason: 'Asked for a call.' } }, ids)).status).toBe(204);
    expect(await asAdmin(removeDoNotCall, { body: { reason: 'Again.' } }, ids)).toMatchObject({
      status: 404,
      body: { error: 'number_not_listed' },
    });
    expect((await call()).status).toBe(202);

    const { items: audited } = await stores.audit.page(org.orgId, { limit: 50 });
    const own = audited.filter(({ action }) => action.startsWith('do_not_call.'));
    expect(own).toMatchObject([
      { action: 'do_not_call.removed', actor: { email: admin.email }, after: { reason: 'Asked for a call.' } },
      { action: 'do_not_call.added', actor: { email: admin.email }, after: { count: 1 } },
    ]);
    expect(JSON.stringify(own)).not.toContain(phone_number);
  });

  it('check an import without writing, then add all its numbers, and add no number when it is repeated', async () => {
    const org = await anOrg();
    const asMember = await acting(await aMember(org, 'member'));
    const numbers = Array.from({ length: 230 }, (_, index) => `98765${String(index).padStart(5, '0')}`);
    const check = await asMember(addDoNotCall, { body: { phones: [...numbers, 'Meera', numbers[0]], check: true } });
    expect(check.body).toMatchObject({ added: 230, listed: 0, duplicates: 1, wrong: [230] });
    const fresh = { phone: '+919876500000', is_listed: false };
    const { numbers: read } = addDoNotCall.answer.parse(check.body);
    expect([read?.[0], read?.[230], read?.[231]]).toEqual([fresh, null, fresh]);
    const refused = await asMember(addDoNotCall, { body: { phones: [...numbers, 'Meera'] } });
    expect(refused).toMatchObject({ status: 400, body: { fields: [{ path: 'phones.230' }] } });
    expect(await stores.doNotCall.listOfOrg(org.orgId)).toEqual([]);
    const add = () => asMember(addDoNotCall, { body: { phones: numbers } });
    expect((await add()).body).toMatchObject({ added: 230, listed: 0 });
    expect((await add()).body).toMatchObject({ added: 0, listed: 230 });
    expect(await stores.doNotCall.listOfOrg(org.orgId)).toHaveLength(230);
  });

  it('list every number once, page by page, while others are added, and search by the beginning of a number', async () => {
    const org = await anOrg();
    const [asMember, asOther] = [
      await acting(await aMember(org, 'member')),
      await acting(await aMember(await anOrg(), 'viewer')),
    ];
    const add = (...phones: string[]) => asMember(addDoNotCall, { body: { phones } });
    await add('9876500001', '9876500003', '9876500005', '9876500007', '+971501234567');
    const seen: (string | null)[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const query: string = `?limit=2&prefix=%2B91${next ? `&next=${next}` : ''}`;
      const page = listDoNotCall.answer.parse((await asMember(listDoNotCall, { query })).body);
      seen.push(...page.items.map(({ phone }) => phone));
      next = page.next;
      if (next) expect((await asOther(listDoNotCall, { query: `?next=${next}` })).body.items).toEqual([]);
      await add('9876500002');
    }
    expect(seen).toEqual(['1', '3', '5', '7'].map((digit) => `+91987650000${digit}`));
    for (const prefix of ['%2B97150', '97150']) {
      const found = await asMember(listDoNotCall, { query: `?prefix=${prefix}` });
      expect(found.body.items).toMatchObject([{ phone: '+971501234567' }]);
    }
    const { body } = await asMember(listDoNotCall, { query: '?prefix=09876500003' });
    expect(body.items).toMatchObject([{ phone: '+919876500003' }]);
  });
});
