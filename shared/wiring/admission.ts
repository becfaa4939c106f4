import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { memberAdmission } from '../operations/organizations/members/admit-member.ts';
import { memberStore } from '../stores/organizations/members.ts';

/**
 * Composes the admission of an organization's members. In a file of its own, so that routes that only read bundle no
 * audit log.
 */
export const wireAdmission = (config: { MEMBERS_TABLE: string }, db: DynamoDBDocumentClient) =>
  memberAdmission({ members: memberStore(db, config.MEMBERS_TABLE) });
