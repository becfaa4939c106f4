import { createConnection } from '../../../shared/messages/dashboard/connections.ts';
import { inviteMember, updateMe } from '../../../shared/messages/dashboard/people.ts';
import type { DashboardRoute } from '../../../shared/messages/dashboard/route.ts';
import { dashboardRoutes } from '../../../shared/messages/dashboard/routes.ts';
import { requestPasswordReset, signIn } from '../../../shared/messages/dashboard/session.ts';
import { placeTestCall } from '../../../shared/messages/dashboard/test-calls.ts';
import { aBrowser, acting, aMember, ask, tokensOf } from '../dashboard/dashboard.ts';
import { anOrg } from '../organizations/orgs.ts';
import { aPhoneNumber } from '../rest/rest.ts';
import { runSchedule } from '../stack/stack.ts';
import type { Scene } from './logged-scene.ts';

const unreadable = { name: 7, canary: true };
/** Returns a value for each parameter of the path. @param id the value of the parameter `id` */
const idsFor = ({ path }: DashboardRoute, id = 'canary') =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, name === 'id' ? id : 'canary']));

/**
 * Signs in, changes and invites members, sends a member an e-mail, and requests every route of the dashboard, with a
 * canary in every text field.
 */
export async function loggedDashboard(): Promise<Scene> {
  const owner = await aMember(await anOrg({ credits: 0.5 }), 'owner');
  const browser = aBrowser();
  const { email, password } = owner;
  const { body } = await browser.ask(signIn, { email, password });
  const [, cookie = ''] = /=([^;]+)/.exec(browser.cookies[0] ?? '') ?? [];
  await browser.ask(signIn, { email, password: 'canary password' });
  await browser.ask(requestPasswordReset, { email: 'canary@example.com' });
  const token = String(body.access_token);
  const phone = aPhoneNumber();
  await ask(updateMe, { token, body: { name: 'canary name', phone } });
  const invitation = { email: 'canary-guest@example.com', name: 'canary guest', role: 'viewer' };
  const calling = await aCaller(phone);
  const { body: invited } = await ask(inviteMember, { token, body: invitation });
  return {
    secrets: [token, cookie, password, email, phone, String(invited.first_password)],
    expected: [],
    async again() {
      await runSchedule('send-notices');
      const { access } = await tokensOf(owner);
      for (const route of Object.values<DashboardRoute>(dashboardRoutes))
        if (route.role === 'none') await aBrowser().ask(route, { email: 'canary' });
        else await ask(route, { token: access, ...(route.request && { body: unreadable }) }, idsFor(route));
      await calling.again();
    },
  };
}

/** Creates an owner with a test call and a connection, who then sends every request that names one of them. */
async function aCaller(phone: string) {
  const org = await anOrg();
  const owner = await acting(await aMember(org, 'owner'));
  await owner(updateMe, { body: { name: 'canary name', phone } });
  const headers = { 'idempotency-key': 'canary-action' };
  const { body: placed } = await owner(placeTestCall, { body: { assistant_id: org.assistantId }, headers });
  const { body: made } = await owner(createConnection, { body: { type: 'crm-b' } });
  const { connection } = createConnection.answer.parse(made);
  const about = { '/calls/{id}': String(placed.call_id), '/connections/{id}': connection.connection_id };
  return {
    async again() {
      for (const [path, id] of Object.entries(about))
        for (const route of Object.values<DashboardRoute>(dashboardRoutes))
          if (route.path.startsWith(path))
            await owner(route, { ...(route.request && { body: unreadable }) }, idsFor(route, id));
    },
  };
}
