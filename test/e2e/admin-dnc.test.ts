import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli, done, refusals, refused } from '../support/cli.ts';
import { anOrg, stores, type TestOrg } from '../support/orgs.ts';
import { aPhoneNumber, postCall } from '../support/rest.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'admin-dnc-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const onList = async ({ orgId }: TestOrg): Promise<string[]> =>
  (await stores.doNotCall.listOfOrg(orgId)).map(({ phone }) => phone);

let files = 0;
async function aFile(content: string | Buffer): Promise<string> {
  files += 1;
  const file = join(folder, `${files}.csv`);
  await writeFile(file, content);
  return file;
}

describe('admin dnc', () => {
  it("reads numbers as people write them, in the org's region, and keeps each once", async () => {
    const org = await anOrg();
    const of = ['--org', org.orgId];
    const added = await done('dnc', 'add', ...of, '--phone', '098765 43210');
    expect(added).toEqual({ phone: '+919876543210', added_at: expect.any(String) });
    const again = await done('dnc', 'add', ...of, '--phone', '+91-98765-43210');
    const foreign = await done('dnc', 'add', ...of, '--phone', '00971 50 123 4567');
    expect(foreign.phone).toBe('+971501234567');
    expect(await done('dnc', 'list', ...of)).toEqual({ numbers: [again, foreign] });
    const { stdout } = await cli('dnc', 'list', ...of);
    expect(stdout).toMatch(/^phone +added_at\n\+919876543210 +\S+Z\n\+971501234567 +\S+Z\n$/);

    const elsewhere = await anOrg();
    await stores.organizations.update(elsewhere.orgId, { default_region: 'AE' });
    const local = await done('dnc', 'add', '--org', elsewhere.orgId, '--phone', '050 123 4567');
    expect(local.phone).toBe('+971501234567');
    expect(await onList(elsewhere)).toEqual(['+971501234567']);

    expect(await done('dnc', 'remove', ...of, '--phone', '9876543210')).toEqual({ phone: '+919876543210' });
    expect(await onList(org)).toEqual(['+971501234567']);
    expect(await refused('dnc', 'remove', ...of, '--phone', '9876543210')).toMatchObject({ error: 'not_on_the_list' });
  });

  it('keeps REST callers from calling a number on the list, and lets them once it is off', async () => {
    const org = await anOrg();
    const phone_number = aPhoneNumber();
    const call = () => postCall(org, { phone_number, assistant_id: org.assistantId });
    await done('dnc', 'add', '--org', org.orgId, '--phone', `0${phone_number.slice(3)}`);
    expect(await call()).toMatchObject({ status: 403, body: { error: 'do_not_call' } });
    expect(await stores.calls.listOfOrg(org.orgId, { limit: 1 })).toEqual([]);
    await done('dnc', 'remove', '--org', org.orgId, '--phone', phone_number);
    expect((await call()).status).toBe(202);
  });

  it('refuses what is no number and unknown orgs, and changes nothing', async () => {
    const org = await anOrg();
    await done('dnc', 'add', '--org', org.orgId, '--phone', '+919876543210');
    const bad = ['12', 'nobody', '', '+0987654321', '98765432100000000'].flatMap((phone) =>
      ['add', 'remove'].map((verb) => ['dnc', verb, '--org', org.orgId, '--phone', phone]),
    );
    expect(await refusals(bad)).toEqual(bad.map(() => 'invalid_value'));
    const file = await aFile('+919876543210\n');
    const unknown = [
      ['dnc', 'add', '--org', 'org0', '--phone', '+919876543210'],
      ['dnc', 'remove', '--org', 'org0', '--phone', '+919876543210'],
      ['dnc', 'list', '--org', 'org0'],
      ['dnc', 'import', '--org', 'org0', '--file', file],
    ];
    expect(await refusals(unknown)).toEqual(unknown.map(() => 'org_not_found'));
    expect(await onList(org)).toEqual(['+919876543210']);
    expect(await stores.doNotCall.listOfOrg('org0')).toEqual([]);
  });
});

describe('admin dnc import', () => {
  it('finds the column of numbers by its header, whatever else the file holds', async () => {
    const contents: [string | Buffer, string[]][] = [
      [
        '\uFEFFName,"Phone Number",Note\r\n\r\n"Rao, Ravi","098765 43210","6"" pipe"\r\n,,\r\n   \r\nAsha,+91-98765-43211,\r\nRavi again,00919876543210\r\n',
        ['+919876543210', '+919876543211'],
      ],
      ['MOBILE\n9876543210', ['+919876543210']],
      ['9876543210,phone of Ravi\n9876543211\n', ['+919876543210', '+919876543211']],
      // Excel's "Unicode text", and a file put together of two.
      [Buffer.from('\uFEFFphone\r\n9876543210\n9876543211\n', 'utf16le'), ['+919876543210', '+919876543211']],
      ['phone_number\n', []],
    ];
    for (const [content, numbers] of contents) {
      const org = await anOrg();
      const answer = await done('dnc', 'import', '--org', org.orgId, '--file', await aFile(content));
      expect(answer).toEqual({ added: numbers.length });
      expect(await onList(org)).toEqual(numbers);
    }
  });

  it('adds more than DynamoDB takes at once', async () => {
    const org = await anOrg();
    const numbers = Array.from({ length: 260 }, (_, index) => `+9198765${String(index).padStart(5, '0')}`);
    const file = await aFile(`phone\n${numbers.join('\n')}\n`);
    expect(await done('dnc', 'import', '--org', org.orgId, '--file', file)).toEqual({ added: 260 });
    expect(await onList(org)).toEqual(numbers);
    // A repeat, for instance of one that broke off, changes nothing.
    expect(await done('dnc', 'import', '--org', org.orgId, '--file', file)).toEqual({ added: 260 });
    expect(await onList(org)).toEqual(numbers);
  });

  it('adds none of a file with a bad line, and names lines without what is in them', async () => {
    const org = await anOrg();
    await done('dnc', 'add', '--org', org.orgId, '--phone', '+919876543219');
    const from = async (content: string) => [...['dnc', 'import', '--org', org.orgId, '--file'], await aFile(content)];
    const some = await refused(...(await from('name,phone\nA,9876543210\n\nSecret,12\nB,\nC\nD,9876543211\n')));
    expect(some).toMatchObject({ error: 'invalid_value', message: expect.stringMatching(/line 4, 5, 6;/) });
    expect(some.message).not.toContain('Secret');
    const many = await refused(...(await from(`${'nobody\n'.repeat(8)}9876543210\n`)));
    expect(many.message).toMatch(/line 1, 2, 3, 4, 5 and 3 more;/);
    const torn = await refused(...(await from('9876543210\n"9876543211\n')));
    expect(torn).toMatchObject({ error: 'invalid_value', message: expect.stringContaining('not CSV at line') });
    const both = await refused(...(await from('phone,mobile\n9876543210,9876543211\n')));
    expect(both).toMatchObject({ error: 'invalid_value', message: expect.stringContaining('phone, mobile') });
    const large = await refused(...(await from(`9876543210\n${'9876543211\n'.repeat(200_000)}`)));
    expect(large).toMatchObject({ error: 'invalid_value', message: expect.stringContaining('200000') });
    const files = [join(folder, 'none.csv'), folder].map((file) => [
      'dnc',
      'import',
      '--org',
      org.orgId,
      '--file',
      file,
    ]);
    expect(await refusals(files)).toEqual(['invalid_value', 'invalid_value']);
    expect(await onList(org)).toEqual(['+919876543219']);
  });
});
