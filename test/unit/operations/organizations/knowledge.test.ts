import { newToken } from '../../../../shared/domain/ids.ts';
import type { Assistant, KnowledgeEntry } from '../../../../shared/domain/organizations/assistants/assistant.ts';
import { viewAssistant } from '../../../../shared/domain/organizations/assistants/assistant-view.ts';
import type { Actor } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { addKnowledge } from '../../../../shared/operations/organizations/add-knowledge.ts';
import { removeKnowledge } from '../../../../shared/operations/organizations/remove-knowledge.ts';
import { showKnowledge } from '../../../../shared/operations/organizations/show-knowledge.ts';
import { anAssistant, anOrg, ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const actor: Actor = { kind: 'member', user_id: 'u1', email: 'priya@example.com' };
const from = { address: '130.176.0.5', forwarded_for: '203.0.113.7' };
const idOf = (digit: number) => `kb_${String(digit).repeat(24)}`;
const pathOf = (id: string) => `knowledge/${ORG}/asst_1/${id}.txt`;
const entryOf = (digit: number): KnowledgeEntry => {
  const id = idOf(digit);
  return { id, filename: `${digit}.txt`, path: pathOf(id), textPreview: '', uploadedAt: START };
};

function aHouse(...digits: number[]) {
  const world = aWorld({ assistants: [anAssistant({ knowledge_base: digits.map(entryOf) })] });
  const texts = new Map(digits.map((digit) => [pathOf(idOf(digit)), 'x'.repeat(30_000)]));
  const knowledge = world.outside({
    put: async (path: string, text: string) => void texts.set(path, text),
    remove: async (path: string) => void texts.delete(path),
    read: async (entries: readonly KnowledgeEntry[]) =>
      entries.flatMap(({ filename, path }) => (texts.has(path) ? [{ filename, text: texts.get(path) ?? '' }] : [])),
  });
  const extract = async () => ({ results: [], peakBytes: 0 });
  let tokens = 0;
  const deps = { ...world.common, knowledge, extract, newToken: () => String(++tokens) };
  const by = { kind: 'member' as const, user_id: 'u1', name: 'Priya', ...from };
  const of = { org_id: ORG, assistant_id: 'asst_1' };
  const names = () => (world.all('assistants')[0] as Assistant).knowledge_base.map(({ filename }) => filename);
  return Object.assign(world, {
    texts,
    names,
    actions: () => world.auditEntries().map(({ action }) => action),
    remove: (digit: number, more = {}) => removeKnowledge(deps, actor, { ...of, entry_id: idOf(digit), ...more }),
    show: (digit: number, more = {}) => showKnowledge(deps, { ...of, entry_id: idOf(digit), ...more }),
    add: (more = {}) =>
      addKnowledge(deps, actor, {
        ...of,
        by,
        idempotencyKey: newToken(),
        files: async () => ({ ok: true, files: [{ filename: 'new.txt', bytes: Buffer.from('New.') }] }),
        ...more,
      }),
  });
}

describe('adding knowledge', () => {
  it('is refused while the organization is suspended, and beyond its upload limit of half a minute', async () => {
    const world = aHouse();
    for (let other = 0; other < 30; other += 1) await world.common.rateLimits.countOfOrg(ORG, 'uploads', world.ms);
    expect(await world.add()).toMatchObject({ kind: 'too_many', resetSeconds: 30 });
    world.put('organizations', anOrg({ suspended_at: world.now }));
    world.pass(60);
    expect(await world.add()).toEqual({ kind: 'org_suspended' });
    expect(world.names()).toEqual([]);
  });

  it('appends the entry with its audit entry or not at all', async () => {
    for await (const [house, cut] of worldThatDies(
      () => aHouse(1),
      ({ add }) => add(),
      3,
    )) {
      const isAdded = house.names().includes('new.txt');
      expect([cut, house.actions()]).toEqual([cut, isAdded ? ['assistant.knowledge_added'] : []]);
      if (!isAdded) continue;
      expect([...house.texts.values()]).toContain('New.');
      const [assistant] = house.all('assistants') as [Assistant];
      expect(assistant.knowledge_base.at(-1)?.uploaded_by).toMatchObject({ kind: 'member', name: 'Priya', ...from });
      expect(JSON.stringify(house.auditEntries())).not.toMatch(/130\.176|203\.0\.113/);
      expect(viewAssistant(assistant).knowledge_base.map(({ uploaded_by }) => uploaded_by)).toEqual([
        null,
        { kind: 'member', name: 'Priya' },
      ]);
    }
  });

  it('happens once for each key, wherever the first request dies, and a repeat leaves no text', async () => {
    const add = ({ add }: ReturnType<typeof aHouse>) => add({ idempotencyKey: 'action-0001' });
    for await (const [house, cut] of worldThatDies(() => aHouse(1), add, 3)) {
      const repeated = await add(house);
      const [{ knowledge_base }] = house.all('assistants') as [Assistant];
      expect([cut, repeated]).toMatchObject([cut, { kind: 'uploaded', entries: knowledge_base }]);
      expect([cut, house.names()]).toEqual([cut, ['1.txt', 'new.txt']]);
      expect([cut, knowledge_base.map(({ path }) => house.texts.get(path)?.slice(0, 4))]).toEqual([
        cut,
        ['xxxx', 'New.'],
      ]);
      expect([cut, house.actions()]).toEqual([cut, ['assistant.knowledge_added']]);
    }
    const house = aHouse(1);
    await Promise.all([add(house), add(house)]);
    expect([house.names(), house.texts.size]).toEqual([['1.txt', 'new.txt'], 2]);
    await house.add({ idempotencyKey: 'action-0002' });
    expect(house.names()).toEqual(['1.txt', 'new.txt', 'new.txt']);
  });

  it.each<[string, number, Partial<Assistant>]>([
    ['entries', 80, {}],
    ['bytes', 0, { prompt: 'x'.repeat(365 * 1024) }],
  ])(
    'is full for a further request, but not for a repeat of the one that took the last %s',
    async (_, entries, over) => {
      const house = aHouse(...Array.from({ length: entries }, (_, digit) => digit));
      house.put('assistants', { ...house.all('assistants')[0], ...over });
      const uploaded = Array.from({ length: 20 }, (_, file) => ({
        filename: `${file}.txt`,
        bytes: Buffer.from('New. '.repeat(99)),
      }));
      const add = (idempotencyKey?: string) =>
        house.add({ idempotencyKey, files: async () => ({ ok: true, files: uploaded }) });
      const first = await add('action-0001');
      expect(first).toMatchObject({ kind: 'uploaded', entries: { length: entries + 20 } });
      expect(await add('action-0001')).toEqual(first);
      expect([await add('action-0002'), await add()]).toEqual(Array(2).fill({ kind: 'knowledge_base_full' }));
      expect([house.names().length, house.texts.size]).toEqual([entries + 20, entries + 20]);
    },
  );

  it('to an assistant of another organization fails as not found and reads no file', async () => {
    const files = () => Promise.reject(new Error('read'));
    expect(await aHouse().add({ org_id: 'org2', files })).toEqual({ kind: 'assistant_not_found' });
  });
});

describe('removing knowledge', () => {
  it('removes the entry, then its text, and a repeat completes an interrupted removal', async () => {
    for await (const [house, cut] of worldThatDies(
      () => aHouse(1, 2, 3),
      ({ remove }) => remove(2),
      3,
    )) {
      await house.remove(2);
      expect([cut, house.names()]).toEqual([cut, ['1.txt', '3.txt']]);
      expect([cut, [...house.texts.keys()]]).toEqual([cut, [1, 3].map((digit) => pathOf(idOf(digit)))]);
      expect([cut, house.actions()]).toEqual([cut, ['assistant.knowledge_removed']]);
    }
  });

  it('loses no entry if another one is added at the same moment', async () => {
    const house = aHouse(1, 2);
    await Promise.all([house.remove(1), house.remove(2), house.add()]);
    expect([house.names(), house.texts.size, house.actions().length]).toEqual([['new.txt'], 1, 3]);
  });

  it('finds no entry of another organization or assistant, and removes no text', async () => {
    const house = aHouse(1);
    expect(await house.remove(1, { org_id: 'org2' })).toEqual({ kind: 'assistant_not_found' });
    expect(await house.remove(1, { entry_id: `../asst_2/${idOf(1)}` })).toEqual({ kind: 'entry_not_found' });
    expect([house.names(), house.texts.size]).toEqual([['1.txt'], 1]);
  });
});

describe('showing knowledge', () => {
  it('reads the part of the text that a call can use', async () => {
    const shown = await aHouse(1).show(1);
    expect(shown).toMatchObject({ kind: 'shown', entry: { filename: '1.txt' }, isCut: true });
    expect(shown.kind === 'shown' && shown.text).toHaveLength(24_000);
  });

  it('finds no entry of another organization, and none without its text', async () => {
    const house = aHouse(1);
    expect(await house.show(1, { org_id: 'org2' })).toEqual({ kind: 'assistant_not_found' });
    expect(await house.show(2)).toEqual({ kind: 'entry_not_found' });
    house.texts.clear();
    expect(await house.show(1)).toEqual({ kind: 'entry_not_found' });
  });
});
