import type { Call } from '../../../shared/domain/calls/call.ts';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { mayBeId } from '../../../shared/domain/ids.ts';
import type { Assistant } from '../../../shared/domain/organizations/assistants/assistant.ts';
import type { Organization } from '../../../shared/domain/organizations/organization.ts';
import { toE164 } from '../../../shared/domain/text/national-number.ts';
import { Refusal } from '../failures.ts';
import type { Cloud } from './cloud.ts';

export const orgNotFound = (orgId: string) => new Refusal('org_not_found', `Organization ${orgId} does not exist.`);

export const assistantNotFound = (assistantId: string) =>
  new Refusal(
    'assistant_not_found',
    `Assistant ${assistantId} does not exist: assistant list --org … lists the assistants of an organization.`,
  );

export const connectionNotFound = (connectionId: string) =>
  new Refusal(
    'connection_not_found',
    `Connection ${connectionId} does not exist: connection list --org … lists the connections of an organization.`,
  );

export const callNotFound = (callId: string) => new Refusal('call_not_found', `Call ${callId} does not exist.`);

/** @throws Refusal org_not_found. */
export async function findOrg(cloud: Cloud, orgId: string): Promise<Organization> {
  const org = mayBeId(orgId) ? await cloud.organizations.get(orgId) : undefined;
  if (!org) throw orgNotFound(orgId);
  return org;
}

/**
 * Reads a number as people of the organization write it. @returns it in E.164
 * @throws Refusal org_not_found, or invalid_value
 */
export async function findNumber(
  cloud: Cloud,
  { org, phone }: { org: string; phone: string },
): Promise<{ org_id: string; phone: string }> {
  const { org_id, default_region } = await findOrg(cloud, org);
  const number = toE164(phone.trim(), default_region);
  if (!number)
    throw new Refusal(
      'invalid_value',
      `--phone must be a phone number of ${default_region}, or begin with +, not "${phone}".`,
    );
  return { org_id, phone: number };
}

/** @throws Refusal assistant_not_found. */
export async function findAssistant(cloud: Cloud, assistantId: string): Promise<Assistant> {
  const assistant = await cloud.assistants.get(assistantId);
  if (!assistant) throw assistantNotFound(assistantId);
  return assistant;
}

/** @throws Refusal connection_not_found. */
export async function findConnection(cloud: Cloud, connectionId: string): Promise<Connection> {
  const connection = await cloud.connections.get(connectionId);
  if (!connection) throw connectionNotFound(connectionId);
  return connection;
}

/** @throws Refusal connection_not_found, or no_leads for a help desk connection. */
export async function findCrm(cloud: Cloud, connectionId: string): Promise<Connection> {
  const connection = await findConnection(cloud, connectionId);
  if (connection.type === 'help-desk')
    throw new Refusal(
      'no_leads',
      `Connection ${connectionId} is a help desk connection and receives no leads. For the ticket of a call, see call show.`,
    );
  return connection;
}

/** @throws Refusal call_not_found. */
export async function findCall(cloud: Cloud, callId: string): Promise<Call> {
  const call = await cloud.calls.get(callId);
  if (!call) throw callNotFound(callId);
  return call;
}
