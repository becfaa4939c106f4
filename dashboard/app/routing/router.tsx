import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { readAuditFilters } from '../url/audit-filters.ts';
import { pageAfterConsent, readConsentReturn } from '../url/begun-consent.ts';
import { readCallFilters } from '../url/call-filters.ts';
import { readCreditSearch } from '../url/credit-search.ts';
import { readHomeSearch } from '../url/home-search.ts';
import { readLeadSearch } from '../url/lead-filters.ts';
import { readNumberSearch } from '../url/number-prefix.ts';
import { lazyPage, pageRoute } from '../url/page-route.ts';
import { readReturnSearch } from '../url/return-path.ts';
import { parseSearch, strictSearch, stringifySearch } from '../url/search.ts';
import { defaults } from './route-defaults.tsx';

const root = createRootRoute();

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: strictSearch(readReturnSearch),
  component: lazyPage(() => import('../../pages/sign-in/sign-in.tsx'), 'SignIn'),
});

const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/new-password',
  validateSearch: strictSearch(readReturnSearch),
  component: lazyPage(() => import('../../pages/sign-in/new-password.tsx'), 'NewPassword'),
});

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/sign-in/reset',
  validateSearch: strictSearch(readReturnSearch),
  component: lazyPage(() => import('../../pages/sign-in/reset.tsx'), 'ResetPassword'),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: lazyPage(() => import('../shell/shell.tsx'), 'Shell'),
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: strictSearch(readHomeSearch),
  // A consent's callback redirects to this page.
  beforeLoad: ({ search }) => {
    const page = pageAfterConsent(search);
    if (page !== undefined) throw redirect({ href: page, replace: true });
  },
  ...pageRoute(() => import('../../pages/home/home.tsx'), 'Home'),
});

const connections = createRoute({
  getParentRoute: () => shell,
  path: '/connections',
  ...pageRoute(() => import('../../pages/connections/connections.tsx'), 'Connections'),
});

const connection = createRoute({
  getParentRoute: () => shell,
  path: '/connections/$id',
  validateSearch: strictSearch(readConsentReturn),
  ...pageRoute(() => import('../../pages/connection/connection.tsx'), 'ConnectionPage'),
});

const members = createRoute({
  getParentRoute: () => shell,
  path: '/settings/members',
  component: lazyPage(() => import('../../pages/members/members.tsx'), 'Members'),
});

const audit = createRoute({
  getParentRoute: () => shell,
  path: '/settings/audit',
  validateSearch: strictSearch(readAuditFilters),
  component: lazyPage(() => import('../../pages/audit/audit.tsx'), 'Audit'),
});

const account = createRoute({
  getParentRoute: () => shell,
  path: '/account',
  component: lazyPage(() => import('../../pages/account/account.tsx'), 'Account'),
});

const calls = createRoute({
  getParentRoute: () => shell,
  path: '/calls',
  validateSearch: strictSearch(readCallFilters),
  ...pageRoute(() => import('../../pages/calls/calls.tsx'), 'Calls'),
});

const call = createRoute({
  getParentRoute: () => shell,
  path: '/calls/$id',
  ...pageRoute(() => import('../../pages/call/call.tsx'), 'CallPage'),
});

const assistants = createRoute({
  getParentRoute: () => shell,
  path: '/assistants',
  ...pageRoute(() => import('../../pages/assistants/assistants.tsx'), 'Assistants'),
});

const assistant = createRoute({
  getParentRoute: () => shell,
  path: '/assistants/$id',
  ...pageRoute(() => import('../../pages/assistant/assistant.tsx'), 'AssistantPage'),
});

const leads = createRoute({
  getParentRoute: () => shell,
  path: '/leads',
  validateSearch: strictSearch(readLeadSearch),
  ...pageRoute(() => import('../../pages/leads/leads.tsx'), 'Leads'),
});

const credit = createRoute({
  getParentRoute: () => shell,
  path: '/credit',
  validateSearch: strictSearch(readCreditSearch),
  ...pageRoute(() => import('../../pages/credit/credit.tsx'), 'Credit'),
});

const doNotCall = createRoute({
  getParentRoute: () => shell,
  path: '/do-not-call',
  validateSearch: strictSearch(readNumberSearch),
  ...pageRoute(() => import('../../pages/do-not-call/do-not-call.tsx'), 'DoNotCall'),
});

const keys = createRoute({
  getParentRoute: () => shell,
  path: '/developers/keys',
  component: lazyPage(() => import('../../pages/keys/keys.tsx'), 'Keys'),
});

const callbacks = createRoute({
  getParentRoute: () => shell,
  path: '/developers/callbacks',
  ...pageRoute(() => import('../../pages/callbacks/callbacks.tsx'), 'Callbacks'),
});

const organization = createRoute({
  getParentRoute: () => shell,
  path: '/settings/organization',
  ...pageRoute(() => import('../../pages/organization/organization.tsx'), 'OrganizationPage'),
});

const notifications = createRoute({
  getParentRoute: () => shell,
  path: '/settings/notifications',
  ...pageRoute(() => import('../../pages/notifications/notifications.tsx'), 'Notifications'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    newPassword,
    resetPassword,
    shell.addChildren([
      home,
      calls,
      call,
      leads,
      assistants,
      assistant,
      connections,
      connection,
      members,
      audit,
      account,
      credit,
      doNotCall,
      keys,
      callbacks,
      organization,
      notifications,
    ]),
  ]),
  parseSearch,
  stringifySearch,
  scrollRestoration: true,
  ...defaults,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
