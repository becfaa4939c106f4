import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Connection } from '../domain/connections/connection.ts';
import { helpDeskApi } from '../integrations/help-desk/api.ts';
import type { HelpDeskAccess } from '../integrations/help-desk/help-desk.ts';
import { helpDeskAccess } from '../operations/connections/access/connection-access.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import { type GrantsConfig, wireGrants } from './grants.ts';

type Config = GrantsConfig & {
  HELP_DESK_OAUTH_SECRET_ID: string;
  HELP_DESK_API_URL?: string | undefined;
  HELP_DESK_TIMEOUT_MS: number;
};

/** Composes the client of the help desk and the access of connections to it. */
export function wireHelpDesk(config: Config, db: DynamoDBDocumentClient) {
  const parts = wireGrants(config, config.HELP_DESK_OAUTH_SECRET_ID, db);
  const helpDeskUrl = config.HELP_DESK_API_URL;
  return {
    ...parts,
    api: helpDeskApi({ timeoutMs: config.HELP_DESK_TIMEOUT_MS }),
    accessAt: (now: Clock): ((connection: Connection) => HelpDeskAccess) =>
      helpDeskAccess({ ...parts, helpDeskUrl, now, sleep }),
  };
}
