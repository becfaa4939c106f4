import { randomUUID } from 'node:crypto';
import {
  AdminInitiateAuthCommand,
  AdminSetUserPasswordCommand,
  CognitoIdentityProviderClient,
  UpdateUserPoolClientCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { newToken } from '../../../shared/domain/ids.ts';
import type { Role } from '../../../shared/domain/organizations/members/member.ts';
import { newFirstPassword } from '../../../shared/domain/organizations/members/password.ts';
import { userPoolPeople } from '../../../shared/integrations/user-pool/people.ts';
import { DASHBOARD_PATH, type DashboardRoute } from '../../../shared/messages/dashboard/route.ts';
import { inviteMember } from '../../../shared/operations/organizations/members/invite-member.ts';
import { stores, type TestOrg } from '../organizations/orgs.ts';
import { type Answer, request } from '../rest/rest.ts';
import { client, environment, now, userPool } from '../stack/stack.ts';

const cognito = new CognitoIdentityProviderClient(client);
const pool = await userPool();

export type Person = { org: TestOrg; userId: string; email: string; password: string };

const asOperator = { actor: { kind: 'operator' as const, name: 'test' }, role: 'owner' as const };

/** Invites a person, who still has the first password. */
export async function anInvitedPerson(org: TestOrg, role: Role, name: string = role): Promise<Person> {
  const email = `${role}-${randomUUID().slice(0, 8)}@example.com`;
  const password = newFirstPassword();
  const deps = { ...stores, pool: userPoolPeople(cognito, pool.poolId), now, newToken, firstPassword: () => password };
  const invited = await inviteMember(deps, asOperator, { org_id: org.orgId, email, name, role });
  if (invited.kind !== 'invited') throw new Error(`not invited: ${invited.kind}`);
  return { org, userId: invited.member.user_id, email, password };
}

/** Creates a member whose password is no longer a first password. */
export async function aMember(org: TestOrg, role: Role, name?: string): Promise<Person> {
  const person = await anInvitedPerson(org, role, name);
  await cognito.send(
    new AdminSetUserPasswordCommand({
      UserPoolId: pool.poolId,
      Username: person.email,
      Password: person.password,
      Permanent: true,
    }),
  );
  return person;
}

export type Tokens = { access: string; id: string };

/** Makes the access tokens of later sign-ins last longer, for the rest of the cloud's life. */
export async function lengthenSessions(minutes: number): Promise<void> {
  await cognito.send(
    new UpdateUserPoolClientCommand({
      UserPoolId: pool.poolId,
      ClientId: pool.clientId,
      ExplicitAuthFlows: ['ALLOW_ADMIN_USER_PASSWORD_AUTH', 'ALLOW_REFRESH_TOKEN_AUTH'],
      AccessTokenValidity: minutes,
      TokenValidityUnits: { AccessToken: 'minutes' },
    }),
  );
}

/** Begins a session without the dashboard's routes. @returns its tokens */
export async function tokensOf({ email, password }: Person): Promise<Tokens> {
  const { AuthenticationResult } = await cognito.send(
    new AdminInitiateAuthCommand({
      UserPoolId: pool.poolId,
      ClientId: pool.clientId,
      AuthFlow: 'ADMIN_USER_PASSWORD_AUTH',
      AuthParameters: { USERNAME: email, PASSWORD: password },
    }),
  );
  const { AccessToken: access, IdToken: id } = AuthenticationResult ?? {};
  if (!access || !id) throw new Error('no session');
  return { access, id };
}

/** Returns the header of an action. A repeat with the same key is a no-op. */
export const action = (key: string = randomUUID()) => ({ 'idempotency-key': key });

/** The seed of a new API key. */
export const aSeed = (): string => newToken() + newToken();

/** Builds a request with a text file, encoded as a browser does. */
export async function anUpload(key?: string, filename = 'prices.txt', text = 'Parking costs ₹ 2,000.') {
  const form = new FormData();
  form.append('files', new Blob([text]), filename);
  const encoded = new Response(form);
  const headers = { ...action(key), 'content-type': encoded.headers.get('content-type') ?? '' };
  return { headers, body: await encoded.text() };
}

type Asked = { token?: string | undefined; body?: object | string; query?: string; headers?: Record<string, string> };

/** Sends a request to a route of the dashboard. @param ids values of the path's parameters */
export function ask(
  { method, path }: Pick<DashboardRoute, 'method' | 'path'>,
  { token, body, query = '', headers = {} }: Asked = {},
  ids: Record<string, string> = {},
): Promise<Answer> {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
  return request(method, `${DASHBOARD_PATH}${filled}${query}`, {
    headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
    ...(body && { body }),
  });
}

/** @returns a function that sends requests with the member's token. */
export async function acting(person: Person) {
  const { access: token } = await tokensOf(person);
  return (route: Parameters<typeof ask>[0], more: Asked = {}, ids?: Record<string, string>) =>
    ask(route, { token, ...more }, ids);
}

/** Returns a browser, which sends the dashboard's cookie with each request. */
export function aBrowser() {
  let cookie: string | undefined;
  return {
    cookies: [] as string[],
    async ask(route: Pick<DashboardRoute, 'method' | 'path'>, body: object = {}, more: Asked = {}): Promise<Answer> {
      const headers = {
        'x-dashboard': '1',
        origin: environment.base_url,
        ...(cookie && { cookie }),
        ...more.headers,
      };
      const answer = await ask(route, { ...more, body, headers });
      const given = answer.headers.getSetCookie();
      this.cookies.push(...given);
      cookie = given.length > 0 ? given[0]?.split(';')[0] : cookie;
      return answer;
    },
  };
}
