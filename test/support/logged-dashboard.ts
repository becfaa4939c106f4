import { inviteMember, updateMe } from '../../shared/messages/dashboard/people.ts';
import type { DashboardRoute } from '../../shared/messages/dashboard/route.ts';
import { dashboardRoutes } from '../../shared/messages/dashboard/routes.ts';
import { requestPasswordReset, signIn } from '../../shared/messages/dashboard/session.ts';
import { aBrowser, aMember, ask, tokensOf } from './dashboard.ts';
import type { Scene } from './logged-scene.ts';
import { anOrg } from './orgs.ts';
import { aPhoneNumber } from './rest.ts';
import { runSchedule } from './stack.ts';

const unreadable = { name: 7, canary: true };
/** A value for each parameter of the path. */
const canaryIds = ({ path }: DashboardRoute) =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'canary']));

/** Sign-ins, members, an e-mail to one and every route of the dashboard, with a canary in every text field. */
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
  const { body: invited } = await ask(inviteMember, { token, body: invitation });
  return {
    secrets: [token, cookie, password, email, phone, String(invited.first_password)],
    expected: [],
    async again() {
      await runSchedule('send-notices');
      const { access } = await tokensOf(owner);
      for (const route of Object.values<DashboardRoute>(dashboardRoutes))
        if (route.role === 'none') await aBrowser().ask(route, { email: 'canary' });
        else await ask(route, { token: access, ...(route.request && { body: unreadable }) }, canaryIds(route));
    },
  };
}
