import { CONNECTION_ID, type ConsentReturn } from '../words/consent.ts';

const NAME = 'dashboard.consent';

type Store = Pick<Storage, 'getItem' | 'setItem'>;

const told = ['connected', 'channel', 'organization', 'pending', 'error'] as const;

/** Reads what the address says after a consent. */
export const readConsentReturn = (search: Readonly<Record<string, unknown>>): ConsentReturn =>
  Object.fromEntries(told.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])));

/** Remembers in this tab which connection's consent was begun last: a failed consent comes back without an id. */
export function rememberConsent(connectionId: string, store: Store = sessionStorage): void {
  try {
    store.setItem(NAME, connectionId);
  } catch {
    // The result is then shown on the first page.
  }
}

/**
 * Finds the page of the connection whose consent has ended.
 * @param search of the address that the consent's callback goes to
 * @returns undefined where no consent has ended, or nothing says whose
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
    // It stays: a page of the vendor that is opened twice comes back twice.
    return store.getItem(NAME) ?? undefined;
  } catch {
    return undefined;
  }
}
