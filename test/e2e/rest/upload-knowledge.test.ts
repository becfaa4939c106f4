import { GetObjectCommand } from '@aws-sdk/client-s3';
import { docx, paragraph } from '../../support/documents/docx.ts';
import { bigDocx, bigPdf } from '../../support/documents/honest.ts';
import { hostileFiles } from '../../support/documents/hostile.ts';
import { pdf, shows } from '../../support/documents/pdf.ts';
import { aKey, anOrg, stores, type TestOrg } from '../../support/organizations/orgs.ts';
import { aPhoneNumber, endOf, placeCall } from '../../support/rest/rest.ts';
import { part, upload, uploadRaw } from '../../support/rest/uploads.ts';
import { filesBucket, s3, voice } from '../../support/stack/stack.ts';

const textOf = async (Key: string) =>
  (await s3.send(new GetObjectCommand({ Bucket: await filesBucket(), Key }))).Body?.transformToString('utf8');
const entriesOf = async (org: TestOrg) => (await stores.assistants.get(org.assistantId))?.knowledge_base;
const hostile = (what: string) => {
  const found = hostileFiles.find((file) => file.what === what);
  if (!found) throw new Error(`there is no file with ${what}`);
  return { filename: found.filename, bytes: found.bytes() };
};

describe('upload-knowledge', () => {
  let org: TestOrg;

  // Each test has the limits of its own key.
  beforeEach(async () => {
    org = await anOrg();
  });

  it('appends files of all four types, returns the whole array, and uses the texts in the next call', async () => {
    const mine = await anOrg({ assistant: { prompt: 'Be brief.' } });
    const first = await upload(mine, [{ filename: 'prices.txt', bytes: 'Parking costs €20 – कृपया.' }]);
    const { status, headers, body } = await upload(mine, [
      { filename: 'Notes.MD', bytes: '# Visits\nOn Sundays.' },
      { filename: 'flat.pdf', bytes: pdf({ pages: [shows('The flat has three rooms.')], isDeflated: true }) },
      { filename: 'terms.docx', bytes: docx(paragraph('The deposit is two rents. &#x20B9;') + paragraph('End.')) },
    ]);

    expect(status).toBe(200);
    expect(headers['x-request-id']).toBeTruthy();
    expect(headers['ratelimit-limit']).toBeTruthy();
    expect(body.map(({ filename }) => filename)).toEqual(['prices.txt', 'Notes.MD', 'flat.pdf', 'terms.docx']);
    expect(body[0]).toEqual(first.body[0]);
    for (const entry of body)
      expect(entry).toEqual({
        id: expect.stringMatching(/^kb_[0-9a-f]{24}$/),
        filename: expect.any(String),
        path: `knowledge/${mine.orgId}/${mine.assistantId}/${entry.id}.txt`,
        textPreview: expect.stringMatching(/./),
        uploadedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      });
    expect(await Promise.all(body.map(({ path }) => textOf(path)))).toEqual([
      'Parking costs €20 – कृपया.',
      '# Visits\nOn Sundays.',
      'The flat has three rooms.',
      'The deposit is two rents. ₹\n\nEnd.',
    ]);
    // The uploader is stored, but not returned.
    const uploaded_by = { kind: 'key', key_id: mine.keyId, name: 'test', address: expect.stringMatching(/^[\d.]+$/) };
    expect(await entriesOf(mine)).toEqual(body.map((entry) => ({ ...entry, uploaded_by })));

    const phone_number = aPhoneNumber();
    await endOf(mine, await placeCall(mine, { phone_number }));
    const content = JSON.stringify((await voice.calls(phone_number))[0]?.request);
    expect(content).toMatch(/Be brief\..*Parking costs.*On Sundays\..*three rooms\..*The deposit is two rents/);
  });

  it('stores the first 50,000 characters of 3 MB of Word and of 200 pages of PDF', async () => {
    const { status, body } = await upload(org, [
      { filename: 'big.docx', bytes: bigDocx() },
      { filename: 'big.pdf', bytes: bigPdf() },
    ]);
    expect([status, body.error]).toEqual([200, undefined]);
    const texts = await Promise.all(body.slice(-2).map(({ path }) => textOf(path)));
    // White space at the cut is trimmed.
    for (const text of texts) expect(text?.length).toBeGreaterThan(49_900);
    for (const text of texts) expect(text?.length).toBeLessThanOrEqual(50_000);
  });

  it('loses no entry of twenty concurrent uploads', async () => {
    const mine = await anOrg();
    const names = Array.from({ length: 20 }, (_, index) => `${index}.txt`);
    // Repeats after a 503 count, too, and one key may upload 20 times a minute.
    const keys = await Promise.all([1, 2, 3, 4].map(() => aKey(mine.orgId)));
    const answers = await Promise.all(
      names.map((filename, index) =>
        upload({ ...mine, ...keys[index % keys.length] }, [{ filename, bytes: `Text ${filename}` }]),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    const entries = (await entriesOf(mine)) ?? [];
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    // Twenty processes start: on a slow machine some uploads get 503 and may still have been stored.
    answers.forEach(({ body, tries }, index) => {
      const own = entries.filter(({ filename }) => filename === names[index]);
      expect(own.length).toBeGreaterThanOrEqual(1);
      expect(own.length).toBeLessThanOrEqual(tries);
      expect(body.map(({ id }) => id)).toContain(own.at(-1)?.id);
    });
  });

  it('adds no entry if one of several files is unreadable, and names it', async () => {
    const before = await entriesOf(org);
    const good = { filename: 'good.txt', bytes: 'Good.' };
    for (const [bad, error] of [
      [{ filename: 'broken.docx', bytes: docx('x').subarray(0, 300) }, 'unreadable_file'],
      [{ filename: 'empty.txt', bytes: '' }, 'unreadable_file'],
      [{ filename: 'program.exe', bytes: 'MZ' }, 'unsupported_file_type'],
    ] as const) {
      const { status, body } = await upload(org, [good, bad, good]);
      expect([status, body.error]).toEqual([400, error]);
      expect(body.message).toContain(bad.filename);
    }
    expect(await entriesOf(org)).toEqual(before);
  });

  it('needs a key of the assistant’s organization but no permission', async () => {
    const [least, other] = await Promise.all([anOrg({ permissions: [] }), anOrg()]);
    const file = { filename: 'a.txt', bytes: 'Text.' };
    expect((await upload(least, [file])).status).toBe(200);
    expect(await upload({ ...org, apiKey: 'svc_live_x' }, [file])).toMatchObject({
      status: 401,
      body: { error: 'invalid_api_key' },
    });
    const foreign = await upload({ apiKey: org.apiKey, assistantId: other.assistantId }, [file]);
    const unknown = await upload({ apiKey: org.apiKey, assistantId: 'asst_0' }, [file]);
    expect(foreign).toMatchObject({ status: 404, body: { error: 'assistant_not_found', message: expect.any(String) } });
    expect(unknown.body).toEqual(foreign.body);
    expect(await entriesOf(other)).toEqual([]);
  });

  it('checks the key before the limit, the limit before the assistant, and the assistant before the body', async () => {
    const limited = await anOrg({ limits: { requests_per_minute: 0 } });
    const noBody = (target: Pick<TestOrg, 'apiKey' | 'assistantId'>) => uploadRaw(target, '', 'text/plain');
    expect((await noBody({ apiKey: '', assistantId: 'asst_0' })).body.error).toBe('missing_api_key');
    expect((await noBody({ ...limited, assistantId: 'asst_0' })).body.error).toBe('rate_limit_exceeded');
    expect((await noBody({ ...org, assistantId: 'asst_0' })).body.error).toBe('assistant_not_found');
  });

  describe('refuses', () => {
    const form = 'multipart/form-data; boundary=b';
    const end = Buffer.from('--b--\r\n');
    const field = '--b\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n';
    const twoFiles = [part('a.txt', 'a'.repeat(3_000_000)), part('b.txt', 'b'.repeat(1_300_000))];

    it.each<[string, string | Buffer, string, number, string]>([
      ['a request without a body', '', form, 400, 'no_files_uploaded'],
      ['a body that is not a form', '{"files": []}', 'application/json', 400, 'no_files_uploaded'],
      ['200,000 fields', `${field.repeat(200_000)}--b--\r\n`, form, 413, 'payload_too_large'],
      ['more than 4 MB of files', Buffer.concat([...twoFiles, end]), form, 413, 'payload_too_large'],
    ])('%s', async (_name, body, contentType, status, error) => {
      const answer = await uploadRaw(org, body, contentType);
      expect([answer.status, answer.body.error]).toEqual([status, error]);
      expect(answer.body.message).toMatch(/./);
    });

    it.each(['400 MB that claim to be 400 KB', '5,000 nested elements that no ratio reveals'])(
      '%s, and continues to work',
      async (what) => {
        const answer = await upload(org, [hostile(what)]);
        expect([answer.status, answer.body.error]).toEqual([400, 'unreadable_file']);
        expect((await upload(org, [{ filename: 'after.txt', bytes: 'Still here.' }])).status).toBe(200);
      },
    );
  });
});
