import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Call } from '../domain/calls/call.ts';
import type { Organization } from '../domain/organizations/organization.ts';
import { getLeadBriefly } from '../integrations/crm-b/lead-record.ts';
import { type RecheckLeadDeps, recheckLead } from '../operations/leads/recheck-lead.ts';
import { type ReplaceAssistantDeps, replaceAssistant } from '../operations/leads/replace-assistant.ts';
import { clock } from '../runtime/clock.ts';
import { logger } from '../runtime/logger.ts';
import { connectionBreakers } from '../stores/connections/connection-breakers.ts';
import { wireCrmB } from './crm-b.ts';

type Config = Parameters<typeof wireCrmB>[0];

/** Bounds each request for the token and the lead, so that a slow CRM-B and the dial fit into the worker's time. */
const MAX_MS = 3_000;

/** Composes the checks of a lead's call before its dial. They are the only access of the dial to CRM-B. */
export function wireRecheckLead(
  config: Config,
  db: DynamoDBDocumentClient,
  parts: Omit<RecheckLeadDeps & ReplaceAssistantDeps, 'connections' | 'breakers' | 'fetchLead' | 'warn'>,
): {
  recheckLead: (call: Call, org: Organization) => Promise<string | undefined>;
  replaceAssistant: (call: Call) => Promise<string | undefined>;
} {
  const { api, connections, accessAt } = wireCrmB(
    {
      ...config,
      CRM_B_TIMEOUT_MS: Math.min(MAX_MS, config.CRM_B_TIMEOUT_MS),
      ZOHO_ACCOUNTS_TIMEOUT_MS: Math.min(MAX_MS, config.ZOHO_ACCOUNTS_TIMEOUT_MS),
    },
    db,
  );
  const accessTo = accessAt(clock);
  const deps: RecheckLeadDeps & ReplaceAssistantDeps = {
    ...parts,
    connections,
    breakers: connectionBreakers(db, config.CONNECTIONS_TABLE),
    fetchLead: (connection, leadId) => getLeadBriefly(api, accessTo(connection), leadId),
    warn: (message, facts) => logger.warn(message, facts),
  };
  return {
    recheckLead: (call, org) => recheckLead(deps, call, org),
    replaceAssistant: (call) => replaceAssistant(deps, call),
  };
}
