import type { Assistant } from '../../../../shared/domain/organizations/assistants/assistant.ts';
import type { Definition } from '../../../../shared/domain/organizations/assistants/assistant-definition.ts';
import { editsSince } from '../../../../shared/domain/organizations/assistants/assistant-view.ts';
import { type Actor, auditEntrySchema } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { createAssistant } from '../../../../shared/operations/organizations/create-assistant.ts';
import { type AssistantChange, updateAssistant } from '../../../../shared/operations/organizations/update-assistant.ts';
import { anAssistant, anOrg, ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const priya: Actor = { kind: 'member', user_id: 'u1', email: 'priya@example.com' };
const ravi: Actor = { kind: 'member', user_id: 'u2', email: 'ravi@example.com' };

function aHouse(assistants: Assistant[] = []) {
  const world = aWorld({ assistants, organizations: [anOrg({ countries: ['AE'] })] });
  let tokens = 0;
  const deps = { ...world.common, newToken: () => String(++tokens) };
  const audited = () => world.auditEntries().map((item) => auditEntrySchema.parse(item));
  const stored = () => world.all('assistants')[0] as Assistant;
  const create = (definition: Definition & { name: string }, idempotencyKey?: string, actor = priya) =>
    createAssistant(deps, actor, { org_id: ORG, ...definition }, idempotencyKey);
  const update = (change: Omit<AssistantChange, 'assistant_id'>, actor = priya) =>
    updateAssistant(deps, actor, { assistant_id: 'asst_1', org_id: ORG, ...change });
  return Object.assign(world, { deps, audited, stored, create, update });
}

describe('a new assistant', () => {
  it('needs only a name, and is stored with its audit entry or not at all', async () => {
    for await (const [house, cut] of worldThatDies(aHouse, ({ create }) => create({ name: 'Asha' }), 1))
      expect([cut, house.audited().length]).toEqual([cut, house.all('assistants').length]);
    const house = aHouse();
    const created = await house.create({ name: 'Asha', language: 'hi' });
    expect(created).toEqual({ kind: 'created', assistant: house.stored() });
    expect(house.stored()).toMatchObject({
      org_id: ORG,
      first_message: 'Hello, this is Asha.',
      max_duration_seconds: 600,
      language: 'hi',
      knowledge_base: [],
      revision: 1,
      updated_at: START,
      updated_by: 'priya@example.com',
    });
    expect(house.audited()).toMatchObject([
      { action: 'assistant.created', actor: priya, thing: { name: 'Asha' }, after: { name: 'Asha', language: 'hi' } },
    ]);
  });

  it('is created once for each key, wherever the first request dies', async () => {
    const create = (house: ReturnType<typeof aHouse>) => house.create({ name: 'Asha' }, 'action-0001');
    for await (const [house, cut] of worldThatDies(aHouse, create, 1)) {
      const repeated = [await create(house), await create(house)];
      const assistant = house.stored();
      expect([cut, repeated]).toEqual([cut, [1, 2].map(() => ({ kind: 'created', assistant }))]);
      expect([cut, house.all('assistants').length, house.audited().length]).toEqual([cut, 1, 1]);
    }
    const house = aHouse();
    await Promise.all([create(house), create(house)]);
    expect([house.all('assistants').length, house.audited().length]).toEqual([1, 1]);
  });

  it('is a separate one for each key, person and definition', async () => {
    const house = aHouse();
    await house.create({ name: 'Asha' }, 'action-0001');
    await house.create({ name: 'Asha' }, 'action-0002');
    await house.create({ name: 'Asha' }, 'action-0001', ravi);
    await house.create({ name: 'Neha' }, 'action-0001');
    expect(house.all('assistants')).toHaveLength(4);
  });

  it('is returned to a repeat in its present state, and as not found after its deletion', async () => {
    const house = aHouse();
    await house.create({ name: 'Asha' }, 'action-0001');
    const asha = house.stored();
    house.put('assistants', { ...asha, prompt: 'q' });
    const repeated = await house.create({ name: 'Asha' }, 'action-0001');
    expect(repeated).toMatchObject({ kind: 'created', assistant: { assistant_id: asha.assistant_id, prompt: 'q' } });
    house.put('assistants', { assistant_id: asha.assistant_id, deleted_of: ORG, knowledge_base: [] });
    expect(await house.create({ name: 'Asha' }, 'action-0001')).toEqual({ kind: 'assistant_not_found' });
  });

  it('is refused if it does not fit into an item of the table', async () => {
    const house = aHouse();
    const first_message = 'न'.repeat(5_000);
    const created = await house.create({ name: 'Asha', prompt: 'न'.repeat(140_000), first_message });
    expect([created, house.all('assistants'), house.audited()]).toEqual([{ kind: 'definition_too_large' }, [], []]);
  });
});

describe('a number to transfer calls to', () => {
  const numbers = [
    ['of a country that the organization may not call', '+4915123456789', /^Numbers in Germany \(DE\) are not called/],
    ['of a kind that is never called', '+19005551234', /is never called/],
  ] as const;

  it.each(numbers)('%s is refused for a new assistant', async (_, transfer_number, message) => {
    const house = aHouse();
    const refused = { kind: 'destination_not_allowed', message: expect.stringMatching(message) };
    expect(await house.create({ name: 'Asha', transfer_number })).toEqual(refused);
    expect([house.all('assistants'), house.audited()]).toEqual([[], []]);
  });

  it.each(numbers)('%s is refused in a change', async (_, transfer_number, message) => {
    const house = aHouse([anAssistant()]);
    const refused = { kind: 'destination_not_allowed', message: expect.stringMatching(message) };
    expect(await house.update({ set: { prompt: 'q', transfer_number } })).toEqual(refused);
    expect([house.stored().prompt, house.audited()]).toEqual(['p', []]);
  });

  it('of an allowed country is accepted, also with the trunk prefix that some people write after the code', async () => {
    const house = aHouse([anAssistant()]);
    expect((await house.update({ set: { transfer_number: '+971501234567' } })).kind).toBe('updated');
    expect((await house.create({ name: 'Asha', transfer_number: '+919812345678' })).kind).toBe('created');
    expect((await house.create({ name: 'Neha', transfer_number: '+9109812345678' })).kind).toBe('created');
  });

  it('that was allowed earlier prevents no other change, and can be removed', async () => {
    const house = aHouse([anAssistant({ transfer_number: '+19005551234' })]);
    expect((await house.update({ set: { prompt: 'q', transfer_number: '+19005551234' } })).kind).toBe('updated');
    expect((await house.update({ set: {}, remove: ['transfer_number'] })).kind).toBe('updated');
    expect(house.stored()).not.toHaveProperty('transfer_number');
  });
});

describe('a change of an assistant', () => {
  it('is written once, with its audit entry, wherever it dies', async () => {
    const begin = () => aHouse([anAssistant({ voice: 'Elliot', revision: 4 })]);
    const change = { set: { prompt: 'q' }, remove: ['voice'] as const };
    for await (const [house, cut] of worldThatDies(begin, ({ update }) => update({ revision: 4, ...change }), 2)) {
      await house.update(change);
      expect([cut, house.stored()]).toMatchObject([cut, { prompt: 'q', first_message: 'f', revision: 5 }]);
      expect(house.stored()).not.toHaveProperty('voice');
      expect(house.audited()).toMatchObject([
        { action: 'assistant.updated', before: { prompt: 'p', voice: 'Elliot' }, after: { prompt: 'q' } },
      ]);
    }
  });

  it('without an effect writes no item', async () => {
    const house = aHouse([anAssistant()]);
    expect(await house.update({ revision: 0, set: { prompt: 'p' }, remove: ['voice'] })).toMatchObject({
      kind: 'updated',
      assistant: { prompt: 'p' },
    });
    expect(house.audited()).toEqual([]);
  });

  it('of an outdated revision is refused, and names the person and the changed members', async () => {
    const house = aHouse([anAssistant()]);
    await house.update({ revision: 0, set: { prompt: 'q' } }, ravi);
    await house.update({ revision: 1, set: { voice: 'Neha' } });
    const late = await house.update({ revision: 0, set: { prompt: 'mine' } });
    expect(late).toEqual({ kind: 'changed_meanwhile', assistant: house.stored() });
    expect(editsSince(house.stored(), 0)).toEqual([
      { name: 'prompt', by: 'ravi@example.com' },
      { name: 'voice', by: 'priya@example.com' },
    ]);
    expect(editsSince(house.stored(), 1)).toEqual([{ name: 'voice', by: 'priya@example.com' }]);
    expect([house.stored().prompt, house.audited().length]).toEqual(['q', 2]);
  });

  it('of the same revision at the same moment succeeds for only one person', async () => {
    const house = aHouse([anAssistant()]);
    const both = await Promise.all([
      house.update({ revision: 0, set: { prompt: 'mine' } }),
      house.update({ revision: 0, set: { prompt: 'theirs' } }, ravi),
    ]);
    expect(both.map(({ kind }) => kind).sort()).toEqual(['changed_meanwhile', 'updated']);
    expect(house.audited()).toHaveLength(1);
  });

  it('without a revision, by an operator, is merged with a concurrent one', async () => {
    const house = aHouse([anAssistant()]);
    house.beforeNextWrite(() => house.put('assistants', anAssistant({ voice: 'Neha', revision: 1 })));
    expect((await house.update({ set: { prompt: 'q' } })).kind).toBe('updated');
    expect(house.stored()).toMatchObject({ prompt: 'q', voice: 'Neha', revision: 2 });
  });

  it.each([
    ['of another organization', 'org2', 'asst_1'],
    ['that does not exist', ORG, 'asst_2'],
  ])('of an assistant %s fails as not found', async (_, org_id, assistant_id) => {
    const house = aHouse([anAssistant()]);
    expect(await house.update({ org_id, assistant_id, set: { prompt: 'q' } } as never)).toEqual({
      kind: 'assistant_not_found',
    });
    expect([house.stored().prompt, house.audited()]).toEqual(['p', []]);
  });

  it('is audited with long texts cut around their difference, and with masked numbers', async () => {
    const prompt = `${'Be kind. '.repeat(200)}Offer Saturday.`;
    const house = aHouse([anAssistant({ prompt, transfer_number: '+919812345678' })]);
    await house.update({
      set: { prompt: prompt.replace('Saturday', 'Sunday'), transfer_number: '+919899945678' },
    });
    const [{ before, after } = {}] = house.audited();
    expect(before?.prompt).toMatch(/^….{20,}Offer Saturday\. \(1815 characters\)$/);
    expect(after?.prompt).toMatch(/Offer Sunday\. \(1813 characters\)$/);
    expect(before?.transfer_number).toBe('+91*******678');
    expect(after?.transfer_number).toBe('+91*******678 (another number)');
  });
});
