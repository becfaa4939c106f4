import { knowledgeStore } from '../../../../shared/stores/organizations/knowledge.ts';

/** A bucket with one text, which returns the requested range of its bytes. */
function aBucket(text: string) {
  const send = async ({ input: { Range = '' } }: { input: { Range?: string } }) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(Range) ?? [];
    const bytes = Buffer.from(text).subarray(Number(first ?? 0), last === undefined ? undefined : Number(last) + 1);
    return { Body: { transformToString: async () => bytes.toString() } };
  };
  return knowledgeStore({ send } as never, 'b');
}

describe('a text of a knowledge base', () => {
  it('is read as far as a prompt can use it, and no further, even if each character takes four bytes', async () => {
    const usable = '😀'.repeat(24_000);
    const entry = { id: '1', filename: 'rules.txt', path: 'rules', textPreview: '', uploadedAt: '' };
    expect(await aBucket(`${usable}and so on`).read([entry])).toEqual([{ filename: 'rules.txt', text: usable }]);
  });
});
