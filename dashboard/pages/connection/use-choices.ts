import { useQuery } from '@tanstack/react-query';
import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';
import { choicesQuery } from '../connections/connections-query.ts';
import { shownChoices } from './shown-choices.ts';

/** Lists to choose from; `null` lists if the person may not request them, or the request failed. */
export function useChoices(connection: ConnectionView, organizationId: string, isAllowed: boolean) {
  const { connection_id, granted_at, type } = connection;
  const query = choicesQuery(connection_id, granted_at, type === 'help-desk' ? organizationId : undefined);
  const { data, isError } = useQuery({ ...query, enabled: isAllowed });
  return shownChoices(connection, { data, mayCome: isAllowed && !isError });
}
