import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';
import { choicesQuery } from '../connections/connections-query.ts';
import { shownChoices } from './shown-choices.ts';

const DEBOUNCE_MILLISECONDS = 500;

/** Reads the lists to choose from; `null` lists if the person may not request them, or the request failed. */
export function useChoices(connection: ConnectionView, organizationId: string, isAllowed: boolean) {
  const { connection_id, granted_at, type } = connection;
  // Waits for the end of typing, so that not every character of an id causes a request.
  const [settledId, setSettledId] = useState(organizationId);
  useEffect(() => {
    const timer = setTimeout(setSettledId, DEBOUNCE_MILLISECONDS, organizationId);
    return () => clearTimeout(timer);
  }, [organizationId]);
  const query = choicesQuery(connection_id, granted_at, type === 'help-desk' ? settledId : undefined);
  const { data, isError, isPlaceholderData } = useQuery({ ...query, enabled: isAllowed });
  const isFormer = isPlaceholderData || settledId !== organizationId;
  return shownChoices(connection, { data, isFormer, isReadable: isAllowed && !isError });
}
