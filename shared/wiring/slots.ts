import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { platformGateStore } from '../stores/calls/platform-gate.ts';
import { recoveryCursors } from '../stores/calls/recovery-cursors.ts';
import { slotCounters } from '../stores/calls/slot-counters.ts';
import { slotStore } from '../stores/calls/slots.ts';
import { waitingOrgStore } from '../stores/calls/waiting-orgs.ts';

/** The stores on the Slots table. */
export const slotStores = (db: DynamoDBDocumentClient, table: string) => ({
  slots: slotStore(db, table),
  waitingOrgs: waitingOrgStore(db, table),
  counters: slotCounters(db, table),
  cursors: recoveryCursors(db, table),
  gate: platformGateStore(db, table),
});
