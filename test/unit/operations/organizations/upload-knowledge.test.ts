import { TransactionContention } from '../../../../shared/domain/contention.ts';
import { hashApiKey, newApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import type { Assistant, KnowledgeEntry } from '../../../../shared/domain/organizations/assistants/assistant.ts';
import { restEntry, type UploadedFile } from '../../../../shared/domain/organizations/assistants/knowledge-file.ts';
import {
  type UploadKnowledgeDeps,
  uploadKnowledge,
} from '../../../../shared/operations/organizations/upload-knowledge.ts';
import { inWaves } from '../../support/waves.ts';
import type { Send } from '../../support/worlds/database.ts';
import { anAssistant, anOrg, ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';

const apiKey = newApiKey(ORG);

const text = (filename: string, content = `Text of ${filename}.`): UploadedFile => ({
  filename,
  bytes: Buffer.from(content),
});
const pdf = (filename: string) => text(filename, '%PDF-1.7');

const entryOf = (id: string): KnowledgeEntry => ({
  id,
  filename: 'old.txt',
  path: `knowledge/${id}`,
  textPreview: 'old',
  uploadedAt: START,
});
const anAssistantWith = (entries: number, over: Partial<Assistant> = {}) =>
  anAssistant({ knowledge_base: Array.from({ length: entries }, (_, index) => entryOf(`kb_${index}`)), ...over });
type Extract = UploadKnowledgeDeps['extract'];

/** @param overtakenBy the assistant as another upload stores it before the last write */
function anUpload({
  assistant = anAssistantWith(0),
  overtakenBy = undefined as Assistant | undefined,
  extract = (async () => ({ results: [], peakBytes: 0 })) as Extract,
  put = undefined as (() => Promise<void>) | undefined,
  org = anOrg(),
  wrap = (send: Send) => send,
  limits = {} as Partial<UploadKnowledgeDeps['rateLimits']>,
} = {}) {
  const key = {
    key_hash: hashApiKey(apiKey),
    key_id: 'key_1',
    org_id: ORG,
    name: 'k',
    created_at: START,
    last_used_at: START,
  };
  const contents = { 'api-keys': [{ ...key, permissions: [] }], organizations: [org], assistants: [assistant] };
  const world = aWorld(contents, wrap);
  const texts = new Map<string, string>();
  /** The order of reads of the body and of writes. */
  const steps: string[] = [];
  world.hooks.before = (operation) => {
    if (operation !== 'TransactWrite') return;
    steps.push('entries');
    if (overtakenBy) world.put('assistants', overtakenBy);
  };
  const deps: UploadKnowledgeDeps = {
    ...world.common,
    rateLimits: { ...world.common.rateLimits, ...limits },
    knowledge: {
      async put(path, content) {
        await put?.();
        steps.push('text');
        texts.set(path, content);
      },
      remove: async (path) => void texts.delete(path),
    },
    extract,
  };
  const upload = (files: UploadedFile[], { authorization = `Bearer ${apiKey}`, assistantId = 'asst_1' } = {}) =>
    uploadKnowledge(deps, {
      authorization,
      assistantId,
      from: { address: '203.0.113.7', forwarded_for: '198.51.100.7' },
      files: async () => {
        steps.push('body');
        return { ok: true, files };
      },
    });
  const stored = () => (world.all('assistants')[0] as Assistant).knowledge_base;
  const countOfOrg = () => world.common.rateLimits.countOfOrg(ORG, 'uploads', world.ms);
  return { deps, upload, stored, texts, steps, countOfOrg, hooks: world.hooks, pass: world.pass };
}

describe('the limits of uploads', () => {
  it('refuse the 11th upload of a key in half a minute, before its body is read', async () => {
    const world = anUpload();
    for (let upload = 0; upload < 10; upload += 1)
      expect((await world.upload([text('a.exe')])).kind).toBe('refused_files');
    world.steps.length = 0;
    expect(await world.upload([text('a.txt')])).toMatchObject({ kind: 'rate_limited', rate: { limit: 10 } });
    expect(world.steps).toEqual([]);
  });

  it('refuse the 31st upload of an organization, and uploads with made-up keys do not count', async () => {
    const world = anUpload();
    const madeUp = () => world.upload([text('a.txt')], { authorization: `Bearer ${newApiKey(ORG)}` });
    for (let stranger = 0; stranger < 70; stranger += 1) expect((await madeUp()).kind).toBe('refused');
    expect((await world.upload([text('a.txt')])).kind).toBe('uploaded');
    for (let other = 1; other < 30; other += 1) await world.countOfOrg();
    expect(await world.upload([text('a.txt')])).toMatchObject({ kind: 'rate_limited', rate: { limit: 30 } });
  });

  it('need no further round trip, except for the first upload of a key in a clock hour, while its body is parsed', async () => {
    const world = anUpload();
    const wave = async () => {
      world.steps.length = 0;
      world.hooks.after = (operation, { Key }) => {
        if (operation === 'Update' && JSON.stringify(Key).includes('uploads#')) world.steps.push('counted');
      };
      expect((await world.upload([text('a.txt')])).kind).toBe('uploaded');
      return world.steps;
    };
    expect(await wave()).toEqual(['body', 'counted', 'text', 'entries']);
    expect(await wave()).toEqual(['counted', 'body', 'text', 'entries']);
    world.pass(3_600);
    expect(await wave()).toEqual(['body', 'counted', 'text', 'entries']);
  });

  it('need no more round trips with the limit of the organization than without it', async () => {
    const tripsOf = async (limits: Partial<UploadKnowledgeDeps['rateLimits']>) => {
      const { waves, wrap } = inWaves();
      const world = anUpload({ wrap, limits });
      await world.upload([text('a.txt')]);
      waves.length = 0;
      expect((await world.upload([text('b.txt')])).kind).toBe('uploaded');
      return waves.length;
    };
    const unlimited = await tripsOf({ countOfOrg: async () => 1, countKnownOfOrg: async () => 1 });
    // The reads, the entries, and the returned list.
    expect([await tripsOf({}), unlimited]).toEqual([3, 3]);
  });

  it('do not count uploads of a key beyond its own limit against the organization', async () => {
    const world = anUpload();
    for (let upload = 0; upload < 40; upload += 1) await world.upload([text('a.exe')]);
    // Only ten of them counted.
    expect(await world.countOfOrg()).toBe(11);
  });

  it('refuse a suspended organization', async () => {
    const world = anUpload({ org: anOrg({ suspended_at: START }) });
    expect(await world.upload([text('a.txt')])).toMatchObject({ kind: 'org_suspended' });
    expect(world.steps).toEqual([]);
  });
});

describe('uploading knowledge', () => {
  it('adds its entries after the existing ones once all texts are stored', async () => {
    const world = anUpload({ assistant: anAssistantWith(1) });
    const uploading = await world.upload([text('a.txt'), text('b.md')]);
    expect(world.steps).toEqual(['body', 'text', 'text', 'entries']);
    expect(uploading).toMatchObject({
      kind: 'uploaded',
      entries: [
        { id: 'kb_0' },
        { filename: 'a.txt', textPreview: 'Text of a.txt.', uploadedAt: START },
        { filename: 'b.md' },
      ],
    });
    const [, ...added] = world.stored();
    expect(added.map(({ path }) => world.texts.get(path))).toEqual(['Text of a.txt.', 'Text of b.md.']);
  });

  it('stores with each entry its key and addresses, and shows neither to clients', async () => {
    const world = anUpload({ assistant: anAssistantWith(1) });
    const uploading = await world.upload([text('a.txt')]);
    const uploaded_by = {
      kind: 'key',
      key_id: 'key_1',
      name: 'k',
      address: '203.0.113.7',
      forwarded_for: '198.51.100.7',
    };
    const [old, added] = world.stored();
    expect([old?.uploaded_by, added?.uploaded_by]).toEqual([undefined, uploaded_by]);
    if (uploading.kind !== 'uploaded') throw new Error(uploading.kind);
    const members = ['id', 'filename', 'path', 'textPreview', 'uploadedAt'];
    for (const entry of uploading.entries) expect(Object.keys(restEntry(entry))).toEqual(members);
  });

  it('preserves the order of documents and plain files', async () => {
    const results = [{ text: 'First.' }, { text: 'Third.' }];
    const world = anUpload({ extract: async () => ({ results, peakBytes: 7 }) });
    const uploading = await world.upload([pdf('1.pdf'), text('2.txt', 'Second.'), pdf('3.pdf')]);
    expect(uploading).toMatchObject({ kind: 'uploaded', usage: { documents: 2, peakBytes: 7 } });
    expect(world.stored().map(({ filename, textPreview }) => [filename, textPreview])).toEqual([
      ['1.pdf', 'First.'],
      ['2.txt', 'Second.'],
      ['3.pdf', 'Third.'],
    ]);
  });

  it('starts no child process for plain files', async () => {
    const extract = () => Promise.reject(new Error('started'));
    expect((await anUpload({ extract }).upload([text('a.txt')])).kind).toBe('uploaded');
  });

  it.each([
    ['an unsupported type', [text('a.txt'), text('b.exe')], 'unsupported_file_type', '"b.exe"'],
    ['no name', [text('')], 'unsupported_file_type', 'A file without a name'],
    ['a wrong signature', [text('b.pdf')], 'unreadable_file', '"b.pdf"'],
    ['no text', [text('a.txt'), text('b.txt', ' \n')], 'unreadable_file', '"b.txt"'],
    ['a document that the child process refuses', [text('a.txt'), pdf('b.pdf')], 'unreadable_file', '"b.pdf" is bad.'],
  ])('adds no entry for %s, and names the file', async (_name, files, error, words) => {
    const world = anUpload({ extract: async () => ({ results: [{ unreadable: 'is bad' }], peakBytes: 0 }) });
    const uploading = await world.upload(files);
    expect(uploading).toMatchObject({ kind: 'refused_files', refusal: { error } });
    expect(uploading.kind === 'refused_files' && uploading.refusal.message).toContain(words);
    expect(world.steps).toEqual(['body']);
  });

  it('leaves no text if an upload certainly added no entry: a text could not be stored, or its write met conflicts', async () => {
    let puts = 0;
    const failing = async () => {
      puts += 1;
      if (puts === 1) throw new Error('S3 is down');
      await new Promise(setImmediate);
    };
    const world = anUpload({ put: failing });
    await expect(world.upload([text('a.txt'), text('b.txt')])).rejects.toThrow('S3 is down');
    expect([puts, [...world.texts.keys()]]).toEqual([2, []]);

    const busy = anUpload();
    busy.deps.transact = () => Promise.reject(new TransactionContention('8 tries'));
    await expect(busy.upload([text('a.txt')])).rejects.toThrow('8 tries');
    expect([busy.steps, [...busy.texts.keys()]]).toEqual([['body', 'text'], []]);
  });

  it.each([
    ['its answer is lost', new Error('socket hang up')],
    ['it is still in progress', new TransactionContention('8 tries', { hasUnknownOutcome: true })],
  ])('keeps the texts if the write of their entries has an unknown result: %s', async (_reason, failure) => {
    const world = anUpload();
    world.deps.transact = () => Promise.reject(failure);
    await expect(world.upload([text('a.txt')])).rejects.toBe(failure);
    expect(world.texts.size).toBe(1);
  });

  it('adds no entry if a text could not be stored', async () => {
    const world = anUpload({ put: () => Promise.reject(new Error('S3 is down')) });
    await expect(world.upload([text('a.txt')])).rejects.toThrow('S3 is down');
    expect(world.steps).not.toContain('entries');
  });

  it.each([
    ['a hundred entries', { assistant: anAssistantWith(100) }, ['body']],
    [
      'an assistant at the item size limit',
      { assistant: anAssistantWith(0, { prompt: 'न'.repeat(140_000) }) },
      ['body'],
    ],
    ['entries that others added meanwhile', { overtakenBy: anAssistantWith(100) }, ['body', 'text', 'entries']],
  ])('fails as full with %s', async (_name, given, steps) => {
    const world = anUpload(given);
    expect(await world.upload([text('a.txt')])).toMatchObject({ kind: 'knowledge_base_full' });
    expect([...world.texts.keys()]).toEqual([]);
    expect(world.steps).toEqual(steps);
    expect(world.stored().map(({ filename }) => filename)).not.toContain('a.txt');
  });

  it('reads no body for an unknown key or an unknown assistant', async () => {
    const world = anUpload();
    const foreign = anUpload({ assistant: anAssistantWith(0, { org_id: 'org9' }) });
    const stranger = await world.upload([text('a.txt')], { authorization: `Bearer ${newApiKey(ORG)}` });
    const unknown = await world.upload([text('a.txt')], { assistantId: 'asst_2' });
    expect(stranger).toMatchObject({ kind: 'refused', error: 'invalid_api_key' });
    expect(unknown.kind).toBe('assistant_not_found');
    expect((await foreign.upload([text('a.txt')])).kind).toBe('assistant_not_found');
    expect([...world.steps, ...foreign.steps]).toEqual([]);
  });
});
