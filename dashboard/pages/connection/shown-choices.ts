import type { Choices, ConnectionView } from '../../../shared/messages/dashboard/connections.ts';

/** The assistants belong to the organization itself; the chosen one has its name in any case. */
const nothing = {
  assistants: undefined,
  owners: null,
  lead_fields: null,
  organizations: null,
  departments: null,
  agents: null,
  failure: null,
};

/**
 * The entries to choose from, while they are read and afterwards.
 * @param read.mayCome whether the lists are still being read
 * @returns undefined while they are being read; `null` lists if the remote system lists none, as without a consent
 */
export function shownChoices(
  { is_connected }: Pick<ConnectionView, 'is_connected'>,
  { data, mayCome }: { data: Choices | undefined; mayCome: boolean },
): Choices | typeof nothing | undefined {
  return data ?? (mayCome && is_connected ? undefined : nothing);
}
