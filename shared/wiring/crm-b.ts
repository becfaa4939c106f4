import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Connection } from '../domain/connections/connection.ts';
import { type CrmBAccess, crmBApi } from '../integrations/crm-b/api.ts';
import { crmBAccess } from '../operations/connections/access/connection-access.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import { type GrantsConfig, wireGrants } from './grants.ts';

type Config = GrantsConfig & { CRM_B_OAUTH_SECRET_ID: string; CRM_B_TIMEOUT_MS: number };

/** Composes the client of CRM-B and the access of connections to it. */
export function wireCrmB(config: Config, db: DynamoDBDocumentClient) {
  const parts = wireGrants(config, config.CRM_B_OAUTH_SECRET_ID, db);
  return {
    ...parts,
    api: crmBApi({ timeoutMs: config.CRM_B_TIMEOUT_MS }),
    accessAt: (now: Clock): ((connection: Connection) => CrmBAccess) => crmBAccess({ ...parts, now, sleep }),
  };
}
