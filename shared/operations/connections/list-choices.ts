import { type Connection, isConnected } from '../../domain/connections/connection.ts';
import type { CrmBAccess } from '../../integrations/crm-b/api.ts';
import type { CrmBChoices, LeadField, User } from '../../integrations/crm-b/choices.ts';
import type { HelpDeskChoices } from '../../integrations/help-desk/choices.ts';
import type { HelpDeskAccess } from '../../integrations/help-desk/help-desk.ts';
import type { HelpDeskOrganizations } from '../../integrations/help-desk/organizations.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';

export type ListChoicesDeps = {
  crmB: CrmBChoices;
  crmBAccessTo: (connection: Connection) => CrmBAccess;
  helpDesk: HelpDeskChoices;
  helpDeskOrganizations: Pick<HelpDeskOrganizations, 'list'>;
  helpDeskAccessTo: (connection: Connection) => HelpDeskAccess;
  assistants: Pick<AssistantStore, 'namesOfOrg'>;
  sleep: (milliseconds: number) => Promise<unknown>;
  warn: (message: string, facts: { connection_id: string; error: string }) => void;
};

type Named = { id: string; name: string };

/** The reason why a list is missing. */
type Failure = 'not_connected' | 'reconnect_needed' | 'refused' | 'unavailable';

/** Lists to choose from; null: the remote system did not answer, or has no such list. */
export type ListedChoices = {
  assistants: Named[];
  owners: User[] | null;
  lead_fields: LeadField[] | null;
  organizations: Named[] | null;
  departments: Named[] | null;
  agents: Named[] | null;
  failure: Failure | null;
};

/** A person waits. Values of a system that has not answered by then are entered by id. */
const LONGEST_MS = 12_000;
/** The pause before the only repeat at an unavailable system, unless it demands a longer wait. */
const PAUSE_MS = 500;

const none: Omit<ListedChoices, 'assistants'> = {
  owners: null,
  lead_fields: null,
  organizations: null,
  departments: null,
  agents: null,
  failure: null,
};

/**
 * Lists the choices for a connection's settings: the organization's assistants, and the current values of CRM-B and the
 * help desk. Nothing is stored. CRM-A gives the service no access.
 * @param organizationId the help desk's organization whose departments and agents to list; undefined for the chosen one
 */
export async function listChoices(
  deps: ListChoicesDeps,
  connection: Connection,
  organizationId?: string,
): Promise<ListedChoices> {
  const [own, remote] = await Promise.all([
    deps.assistants.namesOfOrg(connection.org_id),
    remoteChoices(deps, connection, organizationId),
  ]);
  return { assistants: own.map(({ assistant_id, name }) => ({ id: assistant_id, name })), ...remote };
}

async function remoteChoices(
  deps: ListChoicesDeps,
  connection: Connection,
  organizationId: string | undefined,
): Promise<Omit<ListedChoices, 'assistants'>> {
  if (connection.type === 'crm-a') return none;
  if (!isConnected(connection)) return { ...none, failure: 'not_connected' };
  if (connection.reconnect_needed) return { ...none, failure: 'reconnect_needed' };
  const late = deps.sleep(LONGEST_MS).then(() => ({ kind: 'unavailable' as const, reason: 'no answer in time' }));
  const { connection_id } = connection;
  const requested = async <Item>(request: () => Promise<Answer<Item>>): Promise<Answer<Item>> => {
    try {
      const answer = await request();
      if (answer.kind !== 'unavailable' || (answer.retryAfterSeconds ?? 0) * 1000 > PAUSE_MS) return answer;
      await deps.sleep(PAUSE_MS);
      return await request();
    } catch (error) {
      return { kind: 'unavailable', reason: (error as Error).name };
    }
  };
  const failures: Failure[] = [];
  const itemsOf = async <Item>(request: () => Promise<Answer<Item>>): Promise<Item[] | null> => {
    const answer = await Promise.race([requested(request), late]);
    if (answer.kind === 'found') return answer.items;
    if (answer.kind === 'absent') return [];
    deps.warn('choices could not be read', { connection_id, error: 'code' in answer ? answer.code : answer.reason });
    failures.push('needsConsent' in answer && answer.needsConsent ? 'reconnect_needed' : answer.kind);
    return null;
  };
  const items =
    connection.type === 'crm-b'
      ? await crmBItems(deps, connection, itemsOf)
      : await helpDeskItems(deps, connection, itemsOf, organizationId);
  return { ...none, ...items, failure: failures[0] ?? null };
}

type Answer<Item> =
  | { kind: 'found'; items: Item[] }
  | { kind: 'absent' }
  | { kind: 'unavailable'; reason: string; retryAfterSeconds?: number }
  | { kind: 'reconnect_needed'; reason: string }
  | { kind: 'refused'; reason: string; needsConsent?: true }
  | { kind: 'refused'; code: string };
type ItemsOf = <Item>(request: () => Promise<Answer<Item>>) => Promise<Item[] | null>;

async function crmBItems(
  deps: ListChoicesDeps,
  connection: Connection,
  itemsOf: ItemsOf,
): Promise<Partial<ListedChoices>> {
  const access = deps.crmBAccessTo(connection);
  // The first request may refresh the token, which the second one then uses.
  const owners = await itemsOf<User>(() => deps.crmB.users(access));
  return { owners, lead_fields: await itemsOf<LeadField>(() => deps.crmB.leadFields(access)) };
}

async function helpDeskItems(
  deps: ListChoicesDeps,
  connection: Connection,
  itemsOf: ItemsOf,
  organizationId: string | undefined,
): Promise<Partial<ListedChoices>> {
  const stored = deps.helpDeskAccessTo(connection);
  const organizations = await itemsOf<Named>(async () => {
    const answer = await deps.helpDeskOrganizations.list(stored);
    return answer.kind === 'found' ? { ...answer, items: answer.organizations } : answer;
  });
  const only = organizations?.length === 1 ? organizations[0]?.id : undefined;
  const orgId = organizationId ?? stored.orgId ?? only;
  if (orgId === undefined) return { organizations };
  const access: HelpDeskAccess = { host: stored.host, orgId, token: stored.token };
  const [departments, agents] = await Promise.all([
    itemsOf<Named>(() => deps.helpDesk.departments(access)),
    itemsOf<Named>(() => deps.helpDesk.agents(access)),
  ]);
  return { organizations, departments, agents };
}
