import { describe, expect, it } from '@jest/globals';
import { createApiKey, hashApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import type { Assistant, KnowledgeEntry } from '../../../../shared/domain/organizations/assistant.ts';
import type { UploadedFile } from '../../../../shared/domain/organizations/knowledge-file.ts';
import {
  type UploadKnowledgeDeps,
  uploadKnowledge,
} from '../../../../shared/operations/organizations/upload-knowledge.ts';
import type { Transact } from '../../../../shared/stores/dynamodb/transaction.ts';

const ORG = 'org0123456789abcdef';
const apiKey = createApiKey(ORG);
const created_at = '2026-01-01T00:00:00.000Z';
const now = new Date('2026-03-02T06:00:00.000Z');

const text = (filename: string, content = `Text of ${filename}.`): UploadedFile => ({
  filename,
  bytes: Buffer.from(content),
});
const pdf = (filename: string) => text(filename, '%PDF-1.7');

function aWorld({
  orgId = ORG,
  prompt = 'p',
  entries = 0,
  room = true,
  extract = async () => ({ results: [], peakBytes: 0 }),
  put,
}: {
  orgId?: string;
  prompt?: string;
  entries?: number;
  /** Whether the last write finds the room that was there before. */
  room?: boolean;
  extract?: UploadKnowledgeDeps['extract'];
  put?: () => Promise<void>;
} = {}) {
  const kept: KnowledgeEntry[] = Array.from({ length: entries }, (_, index) => ({
    id: `kb_${index}`,
    filename: 'old.txt',
    path: `knowledge/${index}`,
    textPreview: 'old',
    uploadedAt: created_at,
  }));
  const assistant: Assistant = {
    assistant_id: 'asst_1',
    org_id: orgId,
    name: 'Asha',
    prompt,
    first_message: 'f',
    max_duration_seconds: 600,
    knowledge_base: kept,
    created_at,
  };
  const texts = new Map<string, string>();
  /** What happened, in its order. */
  const steps: string[] = [];
  const deps: UploadKnowledgeDeps = {
    apiKeys: {
      get: async (hash) =>
        hash === hashApiKey(apiKey)
          ? { key_hash: hash, key_id: 'key_1', org_id: ORG, name: 'k', permissions: [], created_at }
          : undefined,
    },
    organizations: {
      get: async (org_id) => ({
        org_id,
        name: 'Demo',
        created_at,
        available: 0,
        held: 0,
        rate: 1_000,
        default_region: 'IN',
        platform_numbers: [],
        callback_secrets: [],
      }),
    },
    rateLimits: { count: async () => ({ requests: 1, outbound: 0 }) },
    assistants: {
      get: async (id) => (id === 'asst_1' ? { ...assistant, knowledge_base: [...kept] } : undefined),
      appending: (_assistant, added) => ({ Update: { added } }) as never,
    },
    knowledge: {
      async put(path, content) {
        await put?.();
        steps.push('text');
        texts.set(path, content);
      },
    },
    transact: (async ({ assistant: write }: Record<string, { Update: { added: KnowledgeEntry[] } }>) => {
      steps.push('entries');
      if (!room) return { committed: false, refused: { assistant: { item: undefined } } };
      kept.push(...(write?.Update.added ?? []));
      return { committed: true };
    }) as unknown as Transact,
    extract,
    now: () => now,
  };
  const upload = (files: UploadedFile[], { authorization = `Bearer ${apiKey}`, assistantId = 'asst_1' } = {}) =>
    uploadKnowledge(deps, {
      authorization,
      assistantId,
      files: async () => {
        steps.push('body');
        return { ok: true, files };
      },
    });
  return { upload, kept, texts, steps };
}

describe('uploading knowledge', () => {
  it('names the texts only once all of them are stored, behind the entries that are there', async () => {
    const world = aWorld({ entries: 1 });
    const uploading = await world.upload([text('a.txt'), text('b.md')]);
    expect(world.steps).toEqual(['body', 'text', 'text', 'entries']);
    expect(uploading).toMatchObject({
      kind: 'uploaded',
      entries: [
        { id: 'kb_0' },
        { filename: 'a.txt', textPreview: 'Text of a.txt.', uploadedAt: now.toISOString() },
        { filename: 'b.md' },
      ],
    });
    const stored = world.kept.slice(1).map(({ path }) => world.texts.get(path));
    expect(stored).toEqual(['Text of a.txt.', 'Text of b.md.']);
  });

  it('puts the texts of documents and of plain files in the order of the files', async () => {
    const results = [{ text: 'First.' }, { text: 'Third.' }];
    const world = aWorld({ extract: async () => ({ results, peakBytes: 7 }) });
    const uploading = await world.upload([pdf('1.pdf'), text('2.txt', 'Second.'), pdf('3.pdf')]);
    expect(uploading).toMatchObject({ kind: 'uploaded', usage: { documents: 2, peakBytes: 7 } });
    expect(world.kept.map(({ filename, textPreview }) => [filename, textPreview])).toEqual([
      ['1.pdf', 'First.'],
      ['2.txt', 'Second.'],
      ['3.pdf', 'Third.'],
    ]);
  });

  it('starts no child for plain files', async () => {
    const extract = async () => {
      throw new Error('asked');
    };
    expect((await aWorld({ extract }).upload([text('a.txt')])).kind).toBe('uploaded');
  });

  it.each([
    ['a type that is not read', [text('a.txt'), text('b.exe')], 'unsupported_file_type', '"b.exe"'],
    ['no name', [text('')], 'unsupported_file_type', 'A file without a name'],
    ['another signature', [text('b.pdf')], 'unreadable_file', '"b.pdf"'],
    ['no text', [text('a.txt'), text('b.txt', ' \n')], 'unreadable_file', '"b.txt"'],
    ['a document that the child refuses', [text('a.txt'), pdf('b.pdf')], 'unreadable_file', '"b.pdf" is bad.'],
  ])('adds nothing for %s, and says which', async (_name, files, error, words) => {
    const world = aWorld({ extract: async () => ({ results: [{ unreadable: 'is bad' }], peakBytes: 0 }) });
    const uploading = await world.upload(files);
    expect(uploading).toMatchObject({ kind: 'refused_files', refusal: { error } });
    expect(uploading.kind === 'refused_files' && uploading.refusal.message).toContain(words);
    expect(world.steps).toEqual(['body']);
  });

  it('adds nothing where a text could not be stored', async () => {
    const world = aWorld({ put: () => Promise.reject(new Error('S3 is down')) });
    await expect(world.upload([text('a.txt')])).rejects.toThrow('S3 is down');
    expect(world.steps).not.toContain('entries');
  });

  it.each([
    ['a hundred entries', { entries: 100 }, ['body']],
    ['an assistant as big as an item may be', { prompt: 'न'.repeat(140_000) }, ['body']],
    ['others that were faster', { room: false }, ['body', 'text', 'entries']],
  ])('is full with %s', async (_name, given, steps) => {
    const world = aWorld(given);
    const before = world.kept.length;
    expect(await world.upload([text('a.txt')])).toMatchObject({ kind: 'knowledge_base_full' });
    expect(world.steps).toEqual(steps);
    expect(world.kept).toHaveLength(before);
  });

  it('looks into no body for a stranger, nor for an assistant of another org', async () => {
    const world = aWorld();
    const foreign = aWorld({ orgId: 'org9' });
    const stranger = await world.upload([text('a.txt')], { authorization: `Bearer ${createApiKey(ORG)}` });
    const unknown = await world.upload([text('a.txt')], { assistantId: 'asst_2' });
    expect(stranger).toMatchObject({ kind: 'refused', error: 'invalid_api_key' });
    expect(unknown.kind).toBe('assistant_not_found');
    expect((await foreign.upload([text('a.txt')])).kind).toBe('assistant_not_found');
    expect([...world.steps, ...foreign.steps]).toEqual([]);
  });
});
