import { anOrg, stores, type TestOrg } from '../support/organizations/orgs.ts';
import { upload, uploadOnce } from '../support/rest/uploads.ts';
import { disturbed, onLinux } from './support/rounds.ts';

const files = ['one.txt', 'two.txt'].map((filename) => ({ filename, bytes: `Text of ${filename}.` }));
const filesOf = async ({ assistantId }: TestOrg) =>
  (await stores.assistants.get(assistantId))?.knowledge_base.map(({ filename }) => filename);

onLinux('upload-knowledge, whose last write ends badly', () => {
  const { faults } = disturbed('upload-knowledge');
  const append = { request: 1, what: 'DynamoDB TransactWriteItems assistants' };

  it('appends all files once when the answer is lost', async () => {
    const org = await anOrg();
    const armed = faults().arm('upload-knowledge', { ...append, fault: 'drop' });
    const { status, body } = await uploadOnce(org, files);
    expect(armed.struck).toBe(append.what);
    armed.disarm();
    expect(status).toBe(200);
    expect(body.map(({ filename }) => filename)).toEqual(['one.txt', 'two.txt']);
    expect(await filesOf(org)).toEqual(['one.txt', 'two.txt']);
  });

  it('appends no file when the worker dies before the write, and all files when they are uploaded again', async () => {
    const org = await anOrg();
    const armed = faults().arm('upload-knowledge', { ...append, fault: 'kill-before' });
    const { status } = await uploadOnce(org, files);
    expect(armed.struck).toBe(append.what);
    armed.disarm();
    expect(status).toBeGreaterThanOrEqual(500);
    expect(await filesOf(org)).toEqual([]);
    expect((await upload(org, files)).status).toBe(200);
    expect(await filesOf(org)).toEqual(['one.txt', 'two.txt']);
  });
});
