import { cli, done, refusals, refused } from '../../support/admin/cli.ts';
import { aFile } from '../../support/admin/offline-admin.ts';
import { anOrg, changeOrg, stores, type TestOrg } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, postCall } from '../../support/rest/rest.ts';

const listed = async ({ orgId }: TestOrg): Promise<string[]> =>
  (await stores.doNotCall.listOfOrg(orgId)).map(({ phone }) => phone);

describe('admin dnc', () => {
  it("reads numbers in any usual form, in the organization's region, and stores each once", async () => {
    const org = await anOrg();
    const of = ['--org', org.orgId];
    const added = await done('dnc', 'add', ...of, '--phone', '098765 43210');
    expect(added).toEqual({ phone: '+919876543210', added_at: expect.any(String) });
    const again = await done('dnc', 'add', ...of, '--phone', '+91-98765-43210');
    const foreign = await done('dnc', 'add', ...of, '--phone', '00971 50 123 4567');
    expect(foreign.phone).toBe('+971501234567');
    expect(await done('dnc', 'list', ...of)).toEqual({
      numbers: [again, foreign].map((entry) => ({ ...entry, call_id: null, erased_at: null })),
    });
    const { stdout } = await cli('dnc', 'list', ...of);
    expect(stdout).toMatch(
      /^phone +added_at +requested in call *\n\+919876543210 +\S+Z\W+\n\+971501234567 +\S+Z\W+\n$/,
    );

    const elsewhere = await anOrg();
    await changeOrg(elsewhere.orgId, { default_region: 'AE' });
    const local = await done('dnc', 'add', '--org', elsewhere.orgId, '--phone', '050 123 4567');
    expect(local.phone).toBe('+971501234567');
    expect(await listed(elsewhere)).toEqual(['+971501234567']);

    expect(await done('dnc', 'remove', ...of, '--phone', '9876543210')).toEqual({ phone: '+919876543210' });
    expect(await listed(org)).toEqual(['+971501234567']);
    expect(await refused('dnc', 'remove', ...of, '--phone', '9876543210')).toMatchObject({ error: 'not_on_the_list' });
  });

  it('blocks REST calls to a listed number until it is removed', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    const call = () => postCall(org, { phone_number, assistant_id: org.assistantId });
    await done('dnc', 'add', '--org', org.orgId, '--phone', `0${phone_number.slice(3)}`);
    expect(await call()).toMatchObject({ status: 403, body: { error: 'do_not_call' } });
    expect(await stores.calls.listOfOrg(org.orgId, { limit: 1 })).toEqual([]);
    await done('dnc', 'remove', '--org', org.orgId, '--phone', phone_number);
    expect((await call()).status).toBe(202);
  });

  it('refuses malformed numbers and unknown organizations, without a change', async () => {
    const org = await anOrg();
    await done('dnc', 'add', '--org', org.orgId, '--phone', '+919876543210');
    const malformed = ['12', 'nobody', '', '+0987654321', '98765432100000000'].flatMap((phone) =>
      ['add', 'remove'].map((verb) => ['dnc', verb, '--org', org.orgId, '--phone', phone]),
    );
    expect(await refusals(malformed)).toEqual(malformed.map(() => 'invalid_value'));
    const unknown = [
      ['add', '--phone', '+919876543210'],
      ['remove', '--phone', '+919876543210'],
      ['list'],
      ['import', '--file', aFile('unknown-org.csv', '+919876543210\n')],
    ].map((args) => ['dnc', ...args, '--org', 'org0']);
    expect(await refusals(unknown)).toEqual(unknown.map(() => 'org_not_found'));
    expect(await listed(org)).toEqual(['+919876543210']);
    expect(await stores.doNotCall.listOfOrg('org0')).toEqual([]);
  });

  it("imports a file in the organization's region, and adds no number when the import is repeated", async () => {
    const org = await anOrg();
    // More than one batch of DynamoDB.
    const numbers = Array.from({ length: 260 }, (_, index) => `+9198765${String(index).padStart(5, '0')}`);
    const file = aFile('many.csv', `phone\n0${numbers[0]?.slice(3)}\n${numbers.slice(1).join('\n')}\n`);
    const command = ['dnc', 'import', '--org', org.orgId, '--file', file];
    for (const counts of [
      { added: 260, listed: 0 },
      { added: 0, listed: 260 },
    ]) {
      expect(await done(...command)).toEqual(counts);
      expect(await listed(org)).toEqual(numbers);
    }
  });

  it('imports no number if a line of the file is wrong', async () => {
    const org = await anOrg();
    await done('dnc', 'add', '--org', org.orgId, '--phone', '+919876543219');
    const file = aFile('wrong-line.csv', 'name,phone\nA,9876543210\nB,12\n');
    expect(await refused('dnc', 'import', '--org', org.orgId, '--file', file)).toMatchObject({
      error: 'invalid_value',
      message: expect.stringMatching(/line 3;/),
    });
    expect(await listed(org)).toEqual(['+919876543219']);
  });
});
