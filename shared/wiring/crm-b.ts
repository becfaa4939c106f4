import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Connection } from '../domain/connections/connection.ts';
import { type CrmBAccess, crmBApi } from '../integrations/crm-b/api.ts';
import { crmBAccess } from '../operations/connections/access/crm-b-access.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import { type GrantsConfig, wireGrants } from './grants.ts';

type Config = GrantsConfig & { CRM_B_OAUTH_SECRET_ID: string };

/** CRM-B as a function's settings name it, and the right to ask it for a connection. */
export function wireCrmB(config: Config, db: DynamoDBDocumentClient) {
  const parts = wireGrants(config, config.CRM_B_OAUTH_SECRET_ID, db);
  return {
    ...parts,
    api: crmBApi({ timeoutMs: config.CRM_B_TIMEOUT_MS }),
    /** @param now of the run, where it is not the clock's. */
    accessAt: (now: Clock): ((connection: Connection) => CrmBAccess) => crmBAccess({ ...parts, now, sleep }),
  };
}
