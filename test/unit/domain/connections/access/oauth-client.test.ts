import { oauthClients } from '../../../../../shared/domain/connections/access/oauth-client.ts';

describe('the OAuth clients', () => {
  const client = { client_id: 'a', client_secret: 'b' };

  it('exist once per data center, and any of them may be missing', () => {
    for (const clients of [{}, { in: client }, { in: client, ca: client }])
      expect(oauthClients.parse(clients)).toEqual(clients);
  });

  it('are read without members that a newer version added', () =>
    expect(oauthClients.parse({ in: { ...client, tenant: 'y' } })).toEqual({ in: client }));

  it.each([{ us: client }, { in: { client_id: 'a' } }, { in: { ...client, client_id: ' ' } }, null])(
    'are refused: %j',
    (value) => expect(oauthClients.safeParse(value).success).toBe(false),
  );
});
