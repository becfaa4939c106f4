import { queryOptions } from '@tanstack/react-query';
import { createContext, useContext, useEffect } from 'react';
import type { CallRow } from '../../../shared/messages/dashboard/calls.ts';
import { type Me, showMe } from '../../../shared/messages/dashboard/people.ts';
import { queryClient } from '../query/query-client.ts';
import { callApi } from '../session/browser-session.ts';

/** The signed-in person, with the role and the organization's credit. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => callApi(showMe, { signal }),
  // The credit changes while calls run. A hidden tab sends no requests.
  refetchInterval: 60_000,
});

export const MeContext = createContext<Me | undefined>(undefined);

/** @throws outside the shell, which renders pages only once the person is known */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error('This page needs the shell around it.');
  return me;
}

/** Refreshes the credit in the header once the call on the page has been charged. */
export function useRefetchCreditAfter(shown: Pick<CallRow, 'cost'> | undefined): void {
  const isCharged = shown !== undefined && shown.cost !== null;
  useEffect(() => {
    if (isCharged) void queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
  }, [isCharged]);
}
