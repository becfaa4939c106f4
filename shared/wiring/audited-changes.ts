import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { newToken } from '../domain/ids.ts';
import { clock } from '../runtime/clock.ts';
import { transactions } from '../stores/dynamodb/transaction.ts';
import { auditStore } from '../stores/organizations/audit.ts';

/** Composes the dependencies of a person's change, which stores its audit entry in the same transaction. */
export const wireAuditedChanges = (config: { AUDIT_TABLE: string }, db: DynamoDBDocumentClient) => ({
  audit: auditStore(db, config.AUDIT_TABLE),
  transact: transactions(db),
  now: clock,
  newToken,
});
