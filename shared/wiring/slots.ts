import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { platformGateStore } from '../stores/calls/platform-gate.ts';
import { recoveryCursors } from '../stores/calls/recovery-cursors.ts';
import { slotCounters } from '../stores/calls/slots/slot-counters.ts';
import { slotStore } from '../stores/calls/slots/slots.ts';
import { waitingOrgStore } from '../stores/calls/slots/waiting-orgs.ts';

/** Creates the stores on the Slots table. */
export const slotStores = (db: DynamoDBDocumentClient, table: string) => ({
  slots: slotStore(db, table),
  waitingOrgs: waitingOrgStore(db, table),
  counters: slotCounters(db, table),
  cursors: recoveryCursors(db, table),
  gate: platformGateStore(db, table),
});
