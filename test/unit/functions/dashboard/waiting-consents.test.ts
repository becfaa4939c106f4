import { restoreClients } from '../../support/dashboard/handlers.ts';
import { anOffice, BROWSER, changes, PENDING } from '../../support/dashboard/office.ts';

afterAll(restoreClients);

describe('a consent that waits', () => {
  const asking = changes['confirm-consent']?.[1];
  it.each<[string, string[] | undefined]>([
    ['without the cookie', undefined],
    ['with the cookie of another consent', [`dashboard_consent=${'c'.repeat(43)}`]],
    ['with a malformed cookie', ['dashboard_consent=', `dashboard_consent=${BROWSER} x`]],
    ['with the session of the same person', ['dashboard_session=t']],
  ])('is not confirmed by a browser %s', async (_which, cookies) => {
    const world = anOffice();
    const shown = { path: { id: 'conn_2' }, cookies: cookies ?? [] };
    expect((await world.ask('show-connection', shown)).body).toMatchObject({ may_confirm: false });
    const answer = await world.ask('confirm-consent', { ...asking, ...shown });
    expect([answer.status, answer.body.error]).toEqual([403, 'begun_elsewhere']);
    expect(world.all('connections')).toContainEqual(expect.objectContaining({ pending_consent: PENDING }));
  });

  it('is shown without tokens, and may be confirmed in the browser that began it', async () => {
    const { body } = await anOffice().ask('show-connection', {
      path: { id: 'conn_2' },
      cookies: asking?.cookies ?? [],
    });
    expect(body).toMatchObject({
      may_confirm: true,
      connection: {
        is_connected: false,
        pending_consent: {
          organizations: [{ id: '7', name: 'Acme' }],
          user: { name: 'Asha', email: 'asha@example.com' },
          begun_by: 'u1@example.com',
          instead_of: null,
        },
      },
    });
    expect(JSON.stringify(body)).not.toMatch(/refresh-1|sealed|browser_hash/);
  });

  it('for another organization than before connects only if the person confirms that, too', async () => {
    const world = anOffice();
    const known_organizations = [{ id: '8', name: 'Former' }];
    world.put('connections', { ...world.find('connections', { connection_id: 'conn_2' }), known_organizations });
    const confirm = (more: object) =>
      world.ask('confirm-consent', { ...asking, body: { ...Object(asking?.body), ...more } });
    for (const more of [{}, { is_other_meant: false }])
      expect(await confirm(more)).toMatchObject({ status: 409, body: { error: 'another_organization' } });
    expect(world.find('connections', { connection_id: 'conn_2' })).toMatchObject({ pending_consent: PENDING });
    expect(await confirm({ is_other_meant: true })).toMatchObject({ status: 200 });
  });
});
