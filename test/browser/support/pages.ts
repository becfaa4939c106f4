/** Ids of an organization's items. */
export type Things = { call?: string; assistant?: string; connections?: readonly string[] };

export type RoutedPage = {
  /** The heading, which is shown once all data is loaded. */
  title: string | RegExp;
  /** Shown without a session. */
  isOutside?: true;
  /** The ids in its address; absent if the page has no single item. */
  ids?: (things: Things) => readonly (string | undefined)[];
};

/** Every page of the router by its path. test/infra/dashboard-site.test.ts compares it with the router. */
export const pages: Readonly<Record<string, RoutedPage>> = {
  '/sign-in': { title: 'Sign in', isOutside: true },
  '/sign-in/new-password': { title: 'Sign in again', isOutside: true },
  '/sign-in/reset': { title: 'Forgot your password?', isOutside: true },
  '/': { title: /^Good / },
  '/calls': { title: 'Calls' },
  '/calls/$id': { title: /^Call to/, ids: ({ call }) => [call] },
  '/leads': { title: 'Leads' },
  '/assistants': { title: 'Assistants' },
  '/assistants/$id': { title: 'Asha', ids: ({ assistant }) => [assistant] },
  '/connections': { title: 'Connections' },
  '/connections/$id': { title: /^(CRM-A|CRM-B|Help desk)/, ids: ({ connections = [] }) => connections },
  '/do-not-call': { title: 'Do not call' },
  '/credit': { title: 'Credit' },
  '/developers/keys': { title: 'API keys' },
  '/developers/callbacks': { title: 'Callbacks' },
  '/settings/organization': { title: 'Organization' },
  '/settings/members': { title: 'Members' },
  '/settings/notifications': { title: 'Notifications' },
  '/settings/audit': { title: 'Audit log' },
  '/account': { title: 'Account' },
};

/** @returns the addresses of a page for an organization's items; empty if it has no such item */
export const addressesOf = (path: string, things: Things): string[] =>
  pages[path]?.ids === undefined
    ? [path]
    : pages[path].ids(things).flatMap((id) => (id === undefined ? [] : path.replace('$id', id)));
