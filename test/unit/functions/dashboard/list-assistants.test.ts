import { restoreClients } from '../../support/dashboard/handlers.ts';
import { anOffice } from '../../support/dashboard/office.ts';
import { anAssistant, ORG } from '../../support/worlds/items.ts';

afterAll(restoreClients);

describe('the list of assistants', () => {
  it('contains each assistant once, page by page, while others are created; a cursor reads only its own organization', async () => {
    const world = anOffice();
    const create = (second: number, org_id = ORG) =>
      world.put('assistants', {
        ...anAssistant({ assistant_id: `asst_${org_id}_${second}`, org_id }),
        created_at: `2026-02-01T00:00:0${second}.000Z`,
      });
    for (const second of [1, 2, 3]) for (const org_id of [ORG, 'org2']) create(second, org_id);
    const own = world.all('assistants').filter(({ org_id }) => org_id === ORG);
    const seen: unknown[] = [];
    for (let next: unknown = '', pages = 0; next !== null; pages += 1) {
      const query = { limit: '2', ...(next !== '' && { next: String(next) }) };
      const { status, body } = await world.ask('list-assistants', { query });
      expect(status).toBe(200);
      seen.push(...(body.items as { assistant_id: string }[]).map(({ assistant_id }) => assistant_id));
      next = body.next;
      if (pages === 0) create(9);
    }
    const created = [...own, { assistant_id: `asst_${ORG}_9` }];
    expect(seen.sort()).toEqual(created.map(({ assistant_id }) => assistant_id).sort());
  });
});
