import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import type { Connection } from '../../shared/domain/connections/connection.ts';
import { getLead } from '../../shared/integrations/crm-b/lead-record.ts';
import type { DialWork } from '../../shared/messages/call-work.ts';
import { leadEvent } from '../../shared/messages/lead-event.ts';
import { processLead } from '../../shared/operations/leads/process-lead.ts';
import { releaseLead } from '../../shared/operations/leads/release-lead.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { integer, readConfig, retention } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { count } from '../../shared/runtime/metrics.ts';
import { queueWorker } from '../../shared/runtime/queue-worker.ts';
import { slotStore } from '../../shared/stores/calls/slots/slots.ts';
import { connectionBreakers } from '../../shared/stores/connections/connection-breakers.ts';
import { connectionChannelStore } from '../../shared/stores/connections/connection-channels.ts';
import { leadQueue } from '../../shared/stores/leads/lead-queue.ts';
import { stoppedLeadStore } from '../../shared/stores/leads/stopped-leads.ts';
import { assistantStore } from '../../shared/stores/organizations/assistants.ts';
import { queueSender } from '../../shared/stores/queue.ts';
import { wireCrmB } from '../../shared/wiring/crm-b.ts';
import { wireDoNotCall } from '../../shared/wiring/do-not-call.ts';
import { callStores } from '../../shared/wiring/stores.ts';

const config = readConfig({
  CONNECTIONS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  CALLS_TABLE: z.string(),
  USAGE_TABLE: z.string(),
  CLAIMS_TABLE: z.string(),
  SLOTS_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  DO_NOT_CALL_KEY_ID: z.string(),
  RETENTION: retention,
  CREDIT_LEDGER_TABLE: z.string(),
  ACTIVITY_TABLE: z.string(),
  LEAD_EVENTS_QUEUE_URL: z.string(),
  DIAL_QUEUE_URL: z.string(),
  CRM_B_OAUTH_SECRET_ID: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  ZOHO_ACCOUNTS_URL: z.optional(z.url()),
  ZOHO_ACCOUNTS_TIMEOUT_MS: integer,
  CRM_B_TIMEOUT_MS: integer,
});
const db = documentClient();
const { api, connections, accessAt } = wireCrmB(config, db);
const accessTo = accessAt(clock);
const sqs = new SQSClient(bounded());
const doNotCall = wireDoNotCall(config, db, bounded());

const deps = {
  connections,
  channels: connectionChannelStore(db, config.CONNECTIONS_TABLE),
  breakers: connectionBreakers(db, config.CONNECTIONS_TABLE),
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  doNotCall,
  stoppedLeads: stoppedLeadStore(db, config.CLAIMS_TABLE, doNotCall.hashOf),
  fetchLead: (connection: Connection, leadId: string) => getLead(api, accessTo(connection), leadId),
  leadQueue: leadQueue(sqs, config.LEAD_EVENTS_QUEUE_URL),
  dialQueue: queueSender<DialWork>(sqs, config.DIAL_QUEUE_URL),
  slots: slotStore(db, config.SLOTS_TABLE),
  ...callStores(config, db),
  count,
  warn: (message: string, facts: Record<string, string>) => logger.warn(message, facts),
  correlate: (ids: Record<string, string>) => logger.appendKeys(ids),
  retention: config.RETENTION,
  now: clock,
};

export const handler = queueWorker(leadEvent, (event) =>
  event.source === 'release' ? releaseLead(deps, event) : processLead(deps, event),
);
