import { KMSClient } from '@aws-sdk/client-kms';
import * as z from 'zod/mini';
import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { crmBApi } from '../../../shared/integrations/crm-b/api.ts';
import { getLead } from '../../../shared/integrations/crm-b/lead-record.ts';
import { explainLead as route } from '../../../shared/messages/dashboard/leads.ts';
import { readOnlyAccess } from '../../../shared/operations/connections/access/read-only-access.ts';
import { explainLead } from '../../../shared/operations/leads/explain-lead.ts';
import { viewExplanation } from '../../../shared/operations/leads/steps/view-explanation.ts';
import { quick } from '../../../shared/runtime/aws.ts';
import { clock } from '../../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../../shared/runtime/config.ts';
import { answer } from '../../../shared/runtime/dashboard/dashboard-answer.ts';
import { dashboardRoute } from '../../../shared/runtime/dashboard/dashboard-route.ts';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';
import { logger } from '../../../shared/runtime/logger.ts';
import { callBriefs } from '../../../shared/stores/calls/call-briefs.ts';
import { callSearch } from '../../../shared/stores/calls/call-search.ts';
import { claimStore } from '../../../shared/stores/calls/claims.ts';
import { activityStore } from '../../../shared/stores/connections/activity.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { oauthTokens } from '../../../shared/stores/connections/oauth-tokens.ts';
import { stoppedLeadStore } from '../../../shared/stores/leads/stopped-leads.ts';
import { assistantStore } from '../../../shared/stores/organizations/assistants.ts';
import { organizationStore } from '../../../shared/stores/organizations/organizations.ts';
import { wireAdmission } from '../../../shared/wiring/admission.ts';
import { wireDoNotCall } from '../../../shared/wiring/do-not-call.ts';

const config = readConfig({
  MEMBERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  ACTIVITY_TABLE: z.string(),
  CALLS_TABLE: z.string(),
  CLAIMS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  DO_NOT_CALL_KEY_ID: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  CRM_B_TIMEOUT_MS: integer,
});
const db = documentClient(quick);

/** A person waits. After this time, the answer says that CRM-B did not respond. */
const LONGEST_WAIT_MS = 4_000;
const api = crmBApi({ timeoutMs: Math.min(LONGEST_WAIT_MS, config.CRM_B_TIMEOUT_MS) });
const accessTo = readOnlyAccess({ tokens: oauthTokens(new KMSClient(quick), config.OAUTH_TOKENS_KEY_ID), now: clock });

const doNotCall = wireDoNotCall(config, db, quick);

const deps = {
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  connections: connectionStore(db, config.CONNECTIONS_TABLE),
  activity: activityStore(db, config.ACTIVITY_TABLE),
  calls: callBriefs(db, config.CALLS_TABLE),
  callSearch: callSearch(db, config.CALLS_TABLE),
  claims: claimStore(db, config.CLAIMS_TABLE),
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  doNotCall,
  stoppedLeads: stoppedLeadStore(db, config.CLAIMS_TABLE, doNotCall.hashOf),
  fetchLead: (connection: Connection, leadId: string) => getLead(api, accessTo(connection), leadId),
  warn: (message: string, facts: Record<string, string>) => logger.warn(message, facts),
  now: clock,
};
const admit = wireAdmission(config, db);

export const handler = dashboardRoute(route, admit, async ({ member, query }) => {
  const explained = await explainLead(deps, member.org_id, query.q);
  if (!explained) throw new Error('the member has an organization that does not exist');
  return answer(200, viewExplanation(explained));
});
