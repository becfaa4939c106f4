import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { newToken } from '../domain/ids.ts';
import { memberAdmission } from '../operations/organizations/members/admit-member.ts';
import { clock } from '../runtime/clock.ts';
import { transactions } from '../stores/dynamodb/transaction.ts';
import { auditStore } from '../stores/organizations/audit.ts';
import { memberStore } from '../stores/organizations/members.ts';

/** Composes the admission of an organization's members. */
export const wireAdmission = (config: { MEMBERS_TABLE: string }, db: DynamoDBDocumentClient) =>
  memberAdmission({ members: memberStore(db, config.MEMBERS_TABLE) });

/** Composes what a person's change needs to store its audit entry in the same transaction. */
export const wireAuditedChanges = (config: { AUDIT_TABLE: string }, db: DynamoDBDocumentClient) => ({
  audit: auditStore(db, config.AUDIT_TABLE),
  transact: transactions(db),
  now: clock,
  newToken,
});
