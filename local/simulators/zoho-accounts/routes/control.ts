import { Hono } from 'hono';
import * as z from 'zod';
import { Problem } from '../../kit/answer.ts';
import type { SimulatorEnv } from '../../kit/app.ts';
import { controlBody } from '../../kit/control-routes.ts';
import type { Grant } from '../model.ts';
import { grantOf, issueAccess, issueGrant, revoke } from '../rules/grants.ts';
import type { AccountsState } from '../state.ts';

const clientSchema = z.strictObject({
  secret: z.string(),
  redirectUris: z.array(z.string()).exactOptional(),
  dataCenters: z.array(z.string()).exactOptional(),
});
const userSchema = z.strictObject({ name: z.string(), email: z.string(), org: z.string() });
const grantSchema = z.strictObject({ clientId: z.string(), scopes: z.array(z.string()), user: z.string().optional() });

export type ClientPut = z.infer<typeof clientSchema>;
export type UserPut = z.infer<typeof userSchema>;
export type GrantPut = z.infer<typeof grantSchema>;

/** Returns the control routes for clients, users and grants. An API that shares the server also serves them. */
export function accountsRoutes(state: AccountsState): Hono<SimulatorEnv> {
  return new Hono<SimulatorEnv>()
    .put('/clients/:id', async (context) => {
      const client = { id: context.req.param('id'), ...(await controlBody(context, clientSchema)) };
      state.clients.set(client.id, client);
      return context.json(client);
    })
    .put('/users/:id', async (context) => {
      const user = { id: context.req.param('id'), ...(await controlBody(context, userSchema)) };
      state.users.set(user.id, user);
      return context.json(user);
    })
    .get('/users', (context) => context.json({ users: [...state.users.values()] }))
    .post('/grants', async (context) => context.json(grant(state, await controlBody(context, grantSchema))))
    .get('/grants', (context) => context.json({ grants: state.grants }))
    .get('/grants/:token', (context) =>
      context.json({ grant: withUser(state, grantOf(state, context.req.param('token'))?.grant) }),
    )
    .delete('/grants/:token?', (context) => {
      const token = context.req.param('token');
      for (const each of state.grants) {
        if (!token || each.token === token) revoke(each);
        for (const access of each.access) if (access.token === token) access.revoked = true;
      }
      return context.json({});
    });
}

/** Creates a grant without the consent page. */
function grant(state: AccountsState, { clientId, scopes, user }: GrantPut) {
  const made = issueGrant(state, { clientId, scopes, userId: state.someUser(user).id, withRefresh: true });
  const access = made === 'throttled' ? made : issueAccess(state, made);
  if (made === 'throttled' || access === 'throttled')
    throw new Problem({ status: 429, json: { message: 'The client got too many tokens within 10 minutes.' } });
  return { refreshToken: made.token ?? '', accessToken: access.token };
}

const withUser = (state: AccountsState, grant: Grant | undefined) =>
  grant ? { ...grant, user: state.user(grant.userId) } : null;
