import { connectionIdFor } from '../../../../shared/domain/ids.ts';
import type { Actor } from '../../../../shared/domain/organizations/audit/audit-entry.ts';
import { deleteAssistant } from '../../../../shared/operations/connections/delete-assistant.ts';
import { updateConnection } from '../../../../shared/operations/connections/update-connection.ts';
import { aConnection, anAssistant, ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';
import { worldThatDies } from '../../support/worlds/world-that-dies.ts';

const actor: Actor = { kind: 'operator', name: 'ops' };
const CONNECTION = connectionIdFor(ORG, 'crm-b');
const path = `knowledge/${ORG}/asst_1/kb_1.txt`;
const entry = { id: 'kb_1', filename: 'a.txt', path, textPreview: '', uploadedAt: START };

function aHouse(assistantOfConnection?: string) {
  const assistant = anAssistant({ knowledge_base: [entry] });
  const connection = aConnection({
    connection_id: CONNECTION,
    ...(assistantOfConnection && { assistant_id: assistantOfConnection }),
  });
  const world = aWorld({ assistants: [assistant], connections: [connection] });
  const texts = new Set([path]);
  const knowledge = world.outside({ remove: async (key: string) => void texts.delete(key) });
  const deps = { ...world.common, knowledge, newToken: () => '1' };
  const erase = (org_id = ORG) => deleteAssistant(deps, actor, { org_id, assistant_id: 'asst_1' });
  const assign = () =>
    updateConnection(
      { ...deps, listOrganizations: async () => ({ kind: 'unavailable', reason: 'the help desk does not answer' }) },
      actor,
      connection,
      {
        assistant_id: 'asst_1',
      },
    );
  return Object.assign(world, { texts, connection, erase, assign });
}

describe('deleting an assistant', () => {
  it.each([undefined, 'asst_2'])('removes it with its audit entry, then its texts (connection: %s)', async (other) => {
    const house = aHouse(other);
    expect(await house.erase()).toEqual({ kind: 'deleted' });
    expect([house.all('assistants'), [...house.texts]]).toEqual([[], []]);
    expect(house.auditEntries()).toMatchObject([{ action: 'assistant.deleted', thing: { name: 'Asha' } }]);
  });

  it('is refused while a connection uses it, and names the connection', async () => {
    const house = aHouse('asst_1');
    expect(await house.erase()).toEqual({ kind: 'assistant_in_use', by: ['crm-b'] });
    expect([house.all('assistants').length, house.texts.size, house.auditEntries()]).toEqual([1, 1, []]);
  });

  it('is refused if a connection starts to use it between the reads and the write', async () => {
    const house = aHouse();
    house.beforeNextWrite(() => house.put('connections', { ...house.connection, assistant_id: 'asst_1' }));
    expect(await house.erase()).toEqual({ kind: 'assistant_in_use', by: ['crm-b'] });
    expect([house.all('assistants').length, house.texts.size, house.auditEntries()]).toEqual([1, 1, []]);
  });

  it('prevents a connection from using it at the same moment', async () => {
    const house = aHouse();
    house.beforeNextWrite(() => house.remove('assistants', { assistant_id: 'asst_1' }));
    expect(await house.assign()).toEqual({ kind: 'assistant_not_found' });
    expect(house.all('connections')[0]).not.toHaveProperty('assistant_id');
  });

  it('never removes a text of an assistant that stays, wherever it dies', async () => {
    for await (const [house, cut] of worldThatDies(aHouse, ({ erase }) => erase(), 3)) {
      const isGone = (await house.stores.assistants.get('asst_1')) === undefined;
      expect([cut, house.auditEntries().length]).toEqual([cut, isGone ? 1 : 0]);
      expect([cut, isGone || house.texts.size === 1]).toEqual([cut, true]);
    }
  });

  it('removes every text when it is repeated, wherever it died', async () => {
    for await (const [house, cut] of worldThatDies(aHouse, ({ erase }) => erase(), 3)) {
      expect([cut, await house.erase('org2')]).toEqual([cut, { kind: 'assistant_not_found' }]);
      const wasWhole = house.all('assistants').length === 0;
      expect([cut, await house.erase()]).toEqual([cut, { kind: wasWhole ? 'assistant_not_found' : 'deleted' }]);
      expect([cut, [...house.texts], house.all('assistants')]).toEqual([cut, [], []]);
      expect([cut, house.auditEntries().length]).toEqual([cut, 1]);
    }
  });

  it('removes the text of a file that is added at the same moment', async () => {
    const house = aHouse();
    house.beforeNextWrite(() => {
      const more = { ...entry, id: 'kb_2', path: 'knowledge/more' };
      house.texts.add(more.path);
      house.put('assistants', anAssistant({ knowledge_base: [entry, more] }));
    });
    expect(await house.erase()).toEqual({ kind: 'deleted' });
    expect([[...house.texts], house.all('assistants')]).toEqual([[], []]);
  });

  it('fails as not found for an assistant of another organization', async () => {
    const house = aHouse();
    expect(await house.erase('org2')).toEqual({ kind: 'assistant_not_found' });
    expect(house.all('assistants')).toHaveLength(1);
  });
});
