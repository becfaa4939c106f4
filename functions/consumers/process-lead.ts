import * as z from 'zod/mini';
import { leadEvent } from '../../shared/messages/lead-event.ts';
import { processLead } from '../../shared/operations/process-lead.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { queueWorker } from '../../shared/runtime/queue-worker.ts';
import { activityStore } from '../../shared/stores/activity.ts';
import { assistantStore } from '../../shared/stores/assistants.ts';
import { callStore } from '../../shared/stores/calls.ts';
import { claimStore } from '../../shared/stores/claims.ts';
import { connectionStore } from '../../shared/stores/connections.ts';
import { creditLedger } from '../../shared/stores/credit-ledger.ts';
import { doNotCallStore } from '../../shared/stores/do-not-call.ts';
import { organizationStore } from '../../shared/stores/organizations.ts';
import { transactions } from '../../shared/stores/transaction.ts';

const config = readConfig({
  CONNECTIONS_TABLE: z.string(),
  ORGANIZATIONS_TABLE: z.string(),
  ASSISTANTS_TABLE: z.string(),
  CALLS_TABLE: z.string(),
  CLAIMS_TABLE: z.string(),
  DO_NOT_CALL_TABLE: z.string(),
  CREDIT_LEDGER_TABLE: z.string(),
  ACTIVITY_TABLE: z.string(),
});
const db = documentClient();

const deps = {
  connections: connectionStore(db, config.CONNECTIONS_TABLE),
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  assistants: assistantStore(db, config.ASSISTANTS_TABLE),
  calls: callStore(db, config.CALLS_TABLE),
  claims: claimStore(db, config.CLAIMS_TABLE),
  doNotCall: doNotCallStore(db, config.DO_NOT_CALL_TABLE),
  ledger: creditLedger(db, config.CREDIT_LEDGER_TABLE),
  activity: activityStore(db, config.ACTIVITY_TABLE),
  transact: transactions(db),
  correlate: (ids: Record<string, string>) => logger.appendKeys(ids),
  now: clock,
};

export const handler = queueWorker(leadEvent, (event) => processLead(deps, event));
