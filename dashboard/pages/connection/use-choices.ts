import { useQuery } from '@tanstack/react-query';
import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';
import { choicesQuery } from '../connections/connections-query.ts';

/** Lists to choose from; `null` lists where the person may not ask for them. */
export function useChoices(connection: ConnectionView, organizationId: string, isAllowed: boolean) {
  const { connection_id, granted_at, type } = connection;
  const query = choicesQuery(connection_id, granted_at, type === 'help-desk' ? organizationId : undefined);
  const { data, isError } = useQuery({ ...query, enabled: isAllowed });
  if (data) return data;
  return isError || !isAllowed ? nothing : undefined;
}

/** The assistants are the organization's own; the chosen one has its name anyway. */
const nothing = {
  assistants: undefined,
  owners: null,
  lead_fields: null,
  organizations: null,
  departments: null,
  agents: null,
  failure: null,
};
