import * as z from 'zod/mini';
import { cancelScheduled } from '../../shared/operations/leads/cancel-scheduled.ts';
import { clock } from '../../shared/runtime/clock.ts';
import { readConfig } from '../../shared/runtime/config.ts';
import { documentClient } from '../../shared/runtime/dynamodb.ts';
import { logger } from '../../shared/runtime/logger.ts';
import { streamWorker } from '../../shared/runtime/stream-worker.ts';
import { callStore } from '../../shared/stores/calls/calls.ts';
import { claimStore } from '../../shared/stores/calls/claims.ts';
import { activityStore } from '../../shared/stores/connections/activity.ts';
import { parseConnection } from '../../shared/stores/connections/connections.ts';
import { transactions } from '../../shared/stores/dynamodb/transaction.ts';

const config = readConfig({
  CALLS_TABLE: z.string(),
  CLAIMS_TABLE: z.string(),
  ACTIVITY_TABLE: z.string(),
});
const db = documentClient();

const deps = {
  calls: callStore(db, config.CALLS_TABLE),
  claims: claimStore(db, config.CLAIMS_TABLE),
  activity: activityStore(db, config.ACTIVITY_TABLE),
  transact: transactions(db),
  now: clock,
  info: (message: string, facts: Record<string, string>) => logger.info(message, facts),
};

export const handler = streamWorker(parseConnection, (changes) => cancelScheduled(deps, changes));
