import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { callStore } from '../stores/calls/calls.ts';
import { claimStore } from '../stores/calls/claims.ts';
import { platformGateStore } from '../stores/calls/platform-gate.ts';
import { recoveryCursors } from '../stores/calls/recovery-cursors.ts';
import { slotCounters } from '../stores/calls/slots/slot-counters.ts';
import { slotStore } from '../stores/calls/slots/slots.ts';
import { waitingOrgStore } from '../stores/calls/slots/waiting-orgs.ts';
import { usageStore } from '../stores/calls/usage.ts';
import { activityStore } from '../stores/connections/activity.ts';
import { transactions } from '../stores/dynamodb/transaction.ts';
import { creditLedger } from '../stores/organizations/credit-ledger.ts';
import { organizationStore } from '../stores/organizations/organizations.ts';

type EndConfig = Record<
  'CALLS_TABLE' | 'CLAIMS_TABLE' | 'CREDIT_LEDGER_TABLE' | 'ORGANIZATIONS_TABLE' | 'USAGE_TABLE',
  string
>;

/** Creates the stores whose items change together when a person cancels a call, and their transaction. */
export const callEndStores = (config: EndConfig, db: DynamoDBDocumentClient) => ({
  calls: callStore(db, config.CALLS_TABLE),
  claims: claimStore(db, config.CLAIMS_TABLE),
  organizations: organizationStore(db, config.ORGANIZATIONS_TABLE),
  ledger: creditLedger(db, config.CREDIT_LEDGER_TABLE),
  usage: usageStore(db, config.USAGE_TABLE),
  transact: transactions(db),
});

/**
 * Creates the stores whose items change together when a lead's call is placed, moved or ended, and their transaction.
 */
export const callStores = (config: EndConfig & { ACTIVITY_TABLE: string }, db: DynamoDBDocumentClient) => ({
  ...callEndStores(config, db),
  activity: activityStore(db, config.ACTIVITY_TABLE),
});

/** Creates the stores on the Slots table. */
export const slotStores = (db: DynamoDBDocumentClient, table: string) => ({
  slots: slotStore(db, table),
  waitingOrgs: waitingOrgStore(db, table),
  counters: slotCounters(db, table),
  cursors: recoveryCursors(db, table),
  gate: platformGateStore(db, table),
});
