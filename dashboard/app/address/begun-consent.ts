import { CONNECTION_ID, type ConsentReturn } from '../../words/connections/consent.ts';

const NAME = 'dashboard.consent';

type Store = Pick<Storage, 'getItem' | 'setItem'>;

const told = ['connected', 'channel', 'organization', 'pending', 'error'] as const;

/** Reads a consent's result from the address. */
export const readConsentReturn = (search: Readonly<Record<string, unknown>>): ConsentReturn =>
  Object.fromEntries(told.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])));

/** Remembers in this tab which connection's consent was started last: a failed consent returns without an id. */
export function rememberConsent(connectionId: string, store: Store = sessionStorage): void {
  try {
    store.setItem(NAME, connectionId);
  } catch {
    // The first page then shows the result.
  }
}

/**
 * Finds the page of the connection whose consent has ended.
 * @param search of the address to which the consent's callback redirects
 * @returns undefined if no consent has ended or its connection is unknown
 */
export function pageAfterConsent(search: ConsentReturn, store: Store = sessionStorage): string | undefined {
  const { connected, pending, error } = search;
  if ((connected ?? pending ?? error) === undefined) return undefined;
  const id = connected ?? pending ?? begun(store);
  if (id === undefined || !CONNECTION_ID.test(id)) return undefined;
  return `/connections/${id}?${new URLSearchParams({ ...search })}`;
}

function begun(store: Store): string | undefined {
  try {
    // Keeps the entry, because a vendor page that is opened twice returns twice.
    return store.getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}
