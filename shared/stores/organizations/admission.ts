import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import {
  type AdmittedOrganization,
  admittedOrganizationSchema,
} from '../../domain/organizations/admitted-organization.ts';
import { readItem } from '../dynamodb/reads.ts';

const text = z.string();
const ifKnown = z.optional(text);

/** A stored API key, without its value. */
export const apiKeySchema = z.object({
  key_hash: text,
  key_id: text,
  org_id: text,
  name: text,
  permissions: z.array(text),
  created_at: text,
  /** E-mail address of a member, or the operator's name; absent on older keys. */
  created_by: ifKnown,
  revoked_at: ifKnown,
  /**
   * Stored at the revocation. On a key that is not revoked, a version of the service without counters has stored it.
   */
  last_used_at: ifKnown,
});

export type ApiKey = z.infer<typeof apiKeySchema>;

/**
 * Builds the reader of a key. It has no cache and reads consistently, so that a revoked key fails on the next request.
 */
export const presentedKey =
  (db: DynamoDBDocumentClient, table: string) =>
  async (keyHash: string): Promise<ApiKey | undefined> => {
    const item = await readItem(db, table, { key_hash: keyHash });
    return item && apiKeySchema.parse(item);
  };

/** Builds the reader of the part of an organization that admits its requests. It reads consistently. */
export const admittedOrganization =
  (db: DynamoDBDocumentClient, table: string) =>
  async (orgId: string): Promise<AdmittedOrganization | undefined> => {
    const item = await readItem(db, table, { org_id: orgId });
    return item && admittedOrganizationSchema.parse(item);
  };
