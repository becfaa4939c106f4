import { unfinishedCallAttributes } from '../shared/domain/calls/recovery/unfinished-call.ts';
import { callIndexes } from '../shared/stores/calls/calls.ts';
import { slotIndexes } from '../shared/stores/calls/slots/waiting-orgs.ts';
import { activityIndexes } from '../shared/stores/connections/activity.ts';
import { connectionIndexes } from '../shared/stores/connections/connections.ts';
import { apiKeyIndexes } from '../shared/stores/organizations/api-keys.ts';
import { assistantIndexes } from '../shared/stores/organizations/assistants.ts';
import { memberIndexes } from '../shared/stores/organizations/members.ts';
import { organizationIndexes } from '../shared/stores/organizations/organizations.ts';

type IndexRow = {
  name: string;
  partitionKey: string;
  sortKey?: string;
  /** Projected attributes besides the keys; absent for all, empty for none. */
  attributes?: readonly string[];
};

export type TableRow = {
  partitionKey: string;
  sortKey?: string;
  /** TTL attribute, in epoch seconds. DynamoDB deletes late, so readers check it themselves. */
  expiresAt?: string;
  hasStream?: boolean;
  /** Whether items may only be added, never changed or deleted. */
  isAppendOnly?: boolean;
  indexes?: IndexRow[];
};

/** Every table with its keys and indexes. All keys are strings. Contents: docs/architecture.md, "Data". */
export const tables = {
  organizations: {
    partitionKey: 'org_id',
    indexes: [
      {
        name: organizationIndexes.watched,
        partitionKey: organizationIndexes.watched,
        sortKey: 'org_id',
        attributes: [],
      },
    ],
  },
  'credit-ledger': { partitionKey: 'org_id', sortKey: 'entry' },
  'api-keys': {
    partitionKey: 'key_hash',
    indexes: [
      { name: apiKeyIndexes.byOrg, partitionKey: 'org_id', sortKey: 'created_at' },
      { name: apiKeyIndexes.byId, partitionKey: 'key_id' },
    ],
  },
  members: {
    partitionKey: 'user_id',
    indexes: [{ name: memberIndexes.byOrg, partitionKey: 'org_id', sortKey: 'email' }],
  },
  notices: { partitionKey: 'org_id', sortKey: 'subject' },
  audit: { partitionKey: 'org_id', sortKey: 'entry', expiresAt: 'expires_at', isAppendOnly: true },
  assistants: {
    partitionKey: 'assistant_id',
    indexes: [{ name: assistantIndexes.byOrg, partitionKey: 'org_id', sortKey: 'created_at' }],
  },
  calls: {
    partitionKey: 'call_id',
    expiresAt: 'expires_at',
    hasStream: true,
    indexes: [
      { name: callIndexes.byOrg, partitionKey: 'org_id', sortKey: 'created_at' },
      { name: callIndexes.byPhone, partitionKey: 'org_phone', sortKey: 'created_at', attributes: [] },
      {
        name: callIndexes.unfinished,
        partitionKey: 'unfinished',
        sortKey: 'dial_by',
        attributes: unfinishedCallAttributes,
      },
      { name: callIndexes.waiting, partitionKey: 'waiting_org', sortKey: 'waiting_turn', attributes: [] },
    ],
  },
  usage: { partitionKey: 'org_id', sortKey: 'day' },
  slots: {
    partitionKey: 'scope',
    indexes: [
      {
        name: slotIndexes.waiting,
        partitionKey: 'waiting',
        sortKey: 'waiting_since',
        attributes: ['live', 'waiting_seen'],
      },
    ],
  },
  connections: {
    partitionKey: 'connection_id',
    hasStream: true,
    indexes: [
      { name: connectionIndexes.byOrg, partitionKey: 'org_id', sortKey: 'created_at' },
      { name: connectionIndexes.byType, partitionKey: 'type', sortKey: 'connection_id', attributes: [] },
    ],
  },
  activity: {
    partitionKey: 'connection_id',
    sortKey: 'event_id',
    expiresAt: 'expires_at',
    indexes: [
      { name: activityIndexes.byTime, partitionKey: 'connection_id', sortKey: 'at' },
      { name: activityIndexes.byPhone, partitionKey: 'phone_hash', sortKey: 'at', attributes: [] },
      { name: activityIndexes.byLead, partitionKey: 'connection_id', sortKey: 'lead_id', attributes: ['at'] },
    ],
  },
  claims: { partitionKey: 'claim', expiresAt: 'expires_at' },
  'do-not-call': { partitionKey: 'org_id', sortKey: 'phone' },
  'oauth-states': { partitionKey: 'state', expiresAt: 'expires_at' },
  callbacks: { partitionKey: 'call_id', sortKey: 'webhook_id', expiresAt: 'expires_at' },
  receivers: { partitionKey: 'receiver', expiresAt: 'expires_at' },
  'rate-limits': { partitionKey: 'key_minute', expiresAt: 'expires_at' },
} as const satisfies Record<string, TableRow>;

export type TableName = keyof typeof tables;

/** Returns the table's row, typed with its optional members. */
export const tableRow = (name: TableName): TableRow => tables[name];
