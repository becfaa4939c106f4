import type { Choices, ConnectionView } from '../../../shared/messages/dashboard/connections.ts';

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

/**
 * What there is to choose from, while it is read and after that.
 * @param read.mayCome whether the lists are still being read
 * @returns undefined while they are; `null` lists where the remote system names none, as without a consent
 */
export function shownChoices(
  { is_connected }: Pick<ConnectionView, 'is_connected'>,
  { data, mayCome }: { data: Choices | undefined; mayCome: boolean },
): Choices | typeof nothing | undefined {
  return data ?? (mayCome && is_connected ? undefined : nothing);
}
