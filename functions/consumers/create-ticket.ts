import { S3Client } from '@aws-sdk/client-s3';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod/mini';
import { helpDeskContacts } from '../../shared/integrations/help-desk/contacts.ts';
import { helpDeskFollowUps } from '../../shared/integrations/help-desk/follow-ups.ts';
import { helpDeskOrganizations } from '../../shared/integrations/help-desk/organizations.ts';
import { helpDeskTickets } from '../../shared/integrations/help-desk/tickets.ts';
import { type CallWork, callWork } from '../../shared/messages/call-work.ts';
import { createTicket } from '../../shared/operations/after-call/create-ticket.ts';
import { bounded } from '../../shared/runtime/aws.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { integer, readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { queueWorker } from '../../shared/runtime/queue-worker.ts';
import { connectionReceivers } from '../../shared/stores/after-call/receivers.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import { claimStore } from '../../shared/stores/calls/claims.ts';
import { callFiles } from '../../shared/stores/calls/files/call-files.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';
import { oneTimeSchedules } from '../../shared/stores/one-time-schedules.ts';
import { organizationStore } from '../../shared/stores/organizations/organizations.ts';
import { queueSender } from '../../shared/stores/queue.ts';
import { wireHelpDesk } from '../../shared/wiring/help-desk.ts';

const config = readConfig({
  CALLS_TABLE: z.string(),
  CLAIMS_TABLE: z.string(),
  CONNECTIONS_TABLE: z.string(),
  RECEIVERS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  CALL_FILES_BUCKET: z.string(),
  TICKETS_QUEUE_URL: z.string(),
  TICKETS_QUEUE_ARN: z.string(),
  TICKET_SCHEDULES_GROUP: z.string(),
  TICKET_SCHEDULES_ROLE_ARN: z.string(),
  HELP_DESK_OAUTH_SECRET_ID: z.string(),
  OAUTH_TOKENS_KEY_ID: z.string(),
  ZOHO_ACCOUNTS_URL: z.optional(z.url()),
  ZOHO_ACCOUNTS_TIMEOUT_MS: integer,
  HELP_DESK_API_URL: z.optional(z.url()),
  HELP_DESK_TIMEOUT_MS: integer,
});
const db = documentClient();
const { api, connections, grants, accessAt } = wireHelpDesk(config, db);

const deps = {
  calls: callStore(db, config.CALLS_TABLE),
  claims: claimStore(db, config.CLAIMS_TABLE),
  transact: transactions(db),
  connections,
  receivers: connectionReceivers(db, config.RECEIVERS_TABLE),
  grants,
  helpDeskOrganizations: helpDeskOrganizations(api),
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  files: callFiles(new S3Client(bounded()), config.CALL_FILES_BUCKET),
  accessTo: accessAt(clock),
  contacts: helpDeskContacts(api),
  tickets: helpDeskTickets(api),
  followUps: helpDeskFollowUps(api),
  ticketsQueue: queueSender<CallWork>(new SQSClient(bounded()), config.TICKETS_QUEUE_URL),
  refreshAt: oneTimeSchedules<CallWork>(new SchedulerClient(bounded()), {
    group: config.TICKET_SCHEDULES_GROUP,
    queueArn: config.TICKETS_QUEUE_ARN,
    roleArn: config.TICKET_SCHEDULES_ROLE_ARN,
  }),
  now: clock,
  stopwatch: () => performance.now(),
  random: Math.random,
  warn: (message: string, facts: Record<string, string>) => logger.warn(message, facts),
};

export const handler = queueWorker(callWork, ({ call_id }) => createTicket(deps, call_id));
