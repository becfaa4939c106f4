import type { Choices, ConnectionView } from '../../../shared/messages/dashboard/connections.ts';

/** Without a list of assistants, the form offers only the chosen one, whose name the connection's answer contains. */
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
 * @param read.mayCome whether the person may read the lists, and reading them has not failed
 * @returns undefined while they are being read; `null` lists if there are none, as without a consent
 */
export function shownChoices(
  { is_connected }: Pick<ConnectionView, 'is_connected'>,
  { data, mayCome }: { data: Choices | undefined; mayCome: boolean },
): Choices | typeof nothing | undefined {
  return data ?? (mayCome && is_connected ? undefined : nothing);
}
