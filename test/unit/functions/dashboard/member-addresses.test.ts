import { restoreClients } from '../../support/dashboard/handlers.ts';
import { anOffice, changes } from '../../support/dashboard/office.ts';

afterAll(restoreClients);

describe("the addresses of a member's request", () => {
  const from = { address: '192.0.2.1', forwarded_for: '198.51.100.7' };
  const ask = (world: ReturnType<typeof anOffice>, name: 'place-test-call' | 'add-knowledge') => {
    const { headers, ...asking } = changes[name]?.[1] ?? {};
    const forwarded = { 'x-forwarded-for': `${from.forwarded_for}, ${from.address}` };
    return world.ask(name, { ...asking, headers: { ...headers, ...forwarded } });
  };

  it('are stored on a test call', async () => {
    const world = anOffice();
    await ask(world, 'place-test-call');
    const [call] = world.all('calls').filter(({ tested_by }) => tested_by !== undefined);
    expect(call?.placed_by).toEqual({ kind: 'member', user_id: 'u1', name: 'u1', ...from });
  });

  it('are stored on an entry of a knowledge base', async () => {
    const world = anOffice();
    await ask(world, 'add-knowledge');
    const { knowledge_base } = world.find('assistants', { assistant_id: 'asst_1' }) ?? {};
    expect(knowledge_base).toContainEqual(
      expect.objectContaining({ uploaded_by: { kind: 'member', user_id: 'u1', name: 'u1', ...from } }),
    );
  });
});
