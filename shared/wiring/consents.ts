import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Connection } from '../domain/connections/connection.ts';
import { crmBIdentity } from '../integrations/crm-b/identity.ts';
import { crmBWatch } from '../integrations/crm-b/watch.ts';
import { helpDeskIdentity } from '../integrations/help-desk/identity.ts';
import { helpDeskOrganizations } from '../integrations/help-desk/organizations.ts';
import { crmBIdentityReader, helpDeskIdentityReader } from '../operations/connections/access/identity-readers.ts';
import { armChannel } from '../operations/connections/arm-channel.ts';
import { chooseOrganization } from '../operations/connections/choose-organization.ts';
import { stopFormerChannel } from '../operations/connections/steps/stop-channel.ts';
import { clock, sleep } from '../runtime/clock.ts';
import { logger } from '../runtime/logger.ts';
import { connectionChannelStore } from '../stores/connections/connection-channels.ts';
import type { FormerGrant } from '../stores/connections/connection-grants.ts';
import { wireCrmB } from './crm-b.ts';
import { wireHelpDesk } from './help-desk.ts';

const warn = (message: string, facts: { connection_id: string; reason: string }) => logger.warn(message, facts);

type CrmBConfig = Parameters<typeof wireCrmB>[0] & { PUBLIC_URL: string };

/** Composes the identity of a consent to CRM-B and the work that follows its grant. */
export function wireCrmBConsents(config: CrmBConfig, db: DynamoDBDocumentClient) {
  const crmB = wireCrmB(config, db);
  const deps = {
    ...crmB,
    channels: connectionChannelStore(db, config.CONNECTIONS_TABLE),
    watch: crmBWatch(crmB.api),
    accessTo: crmB.accessAt(clock),
    publicUrl: config.PUBLIC_URL,
    now: clock,
    sleep,
    warn,
  };
  return {
    ...deps,
    readIdentity: crmBIdentityReader(crmBIdentity(crmB.api)),
    armChannel: (connectionId: string) => armChannel(deps, connectionId),
    stopFormerChannel: (connection: Connection, former: FormerGrant) => stopFormerChannel(deps, connection, former),
  };
}

/** Composes the identity of a consent to the help desk and the work that follows its grant. */
export function wireHelpDeskConsents(config: Parameters<typeof wireHelpDesk>[0], db: DynamoDBDocumentClient) {
  const helpDesk = wireHelpDesk(config, db);
  const deps = {
    ...helpDesk,
    helpDeskOrganizations: helpDeskOrganizations(helpDesk.api),
    accessTo: helpDesk.accessAt(clock),
    now: clock,
    sleep,
    warn,
  };
  return {
    ...deps,
    readIdentity: helpDeskIdentityReader(helpDeskIdentity(helpDesk.api), config.HELP_DESK_API_URL),
    chooseOrganization: (connectionId: string) => chooseOrganization(deps, connectionId),
  };
}
