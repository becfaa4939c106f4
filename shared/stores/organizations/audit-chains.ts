import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  type Link,
  type LooseEntry,
  linkOf,
  type StoredChain,
} from '../../domain/organizations/audit/audit-verification.ts';
import { ofOrg, readAll } from '../dynamodb/reads.ts';
import { chainHeadOf } from './audit.ts';

/** Reads the Audit table's chains for verification. */
export function auditChains(db: DynamoDBDocumentClient, table: string) {
  return {
    /**
     * Reads all entries of an organization or the stage, and the head of their chain.
     * @param most the maximum number of entries to read.
     */
    async of(orgId: string, most: number): Promise<StoredChain> {
      const before = await chainHeadOf(db, table, orgId);
      const entries = await readAll<Link | LooseEntry>(ofOrg(db, table, orgId), linkOf, most);
      return { entries, before, after: await chainHeadOf(db, table, orgId) };
    },
  };
}
