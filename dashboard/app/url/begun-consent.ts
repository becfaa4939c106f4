import { CONNECTION_ID, type ConsentReturn } from '../../words/connections/consent.ts';

const STORAGE_KEY = 'dashboard.consent';

type Store = Pick<Storage, 'getItem' | 'setItem'>;

const resultNames = ['connected', 'channel', 'organization', 'pending', 'error'] as const;

/** Reads a consent's result from the address. */
export const readConsentReturn = (search: Readonly<Record<string, unknown>>): ConsentReturn =>
  Object.fromEntries(resultNames.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])));

/** Remembers in this tab which connection's consent was started last: a failed consent returns without an id. */
export function rememberConsent(connectionId: string, store: Store = sessionStorage): void {
  try {
    store.setItem(STORAGE_KEY, connectionId);
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
  const id = connected ?? pending ?? readRemembered(store);
  if (id === undefined || !CONNECTION_ID.test(id)) return undefined;
  return `/connections/${id}?${new URLSearchParams({ ...search })}`;
}

function readRemembered(store: Store): string | undefined {
  try {
    // Keeps the entry, because a vendor page that is opened twice returns twice.
    return store.getItem(STORAGE_KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
