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

type ShownChoices = Choices | (Omit<Choices, OfOrganization> & Record<OfOrganization, undefined>);
type OfOrganization = 'departments' | 'agents';

/**
 * Returns the entries to choose from, while they are being read and afterwards.
 * @param read.isFormer whether they were read for another organization, whose departments and agents are not choices
 * @param read.isReadable whether the person may read the lists, and reading them has not failed
 * @returns undefined while they are being read; `null` lists if there are none, as without a consent
 */
export function shownChoices(
  { is_connected }: Pick<ConnectionView, 'is_connected'>,
  { data, isFormer, isReadable }: { data: Choices | undefined; isFormer: boolean; isReadable: boolean },
): ShownChoices | typeof nothing | undefined {
  if (data && isFormer) return { ...data, departments: undefined, agents: undefined };
  return data ?? (isReadable && is_connected ? undefined : nothing);
}
