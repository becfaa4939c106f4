import type { Connection } from '../../shared/domain/connections/connection.ts';
import { isOauthType } from '../../shared/domain/connections/consent.ts';
import { crmBApi } from '../../shared/integrations/crm-b/api.ts';
import { crmBWatch } from '../../shared/integrations/crm-b/watch.ts';
import { zohoAccounts } from '../../shared/integrations/zoho-accounts/accounts.ts';
import { crmBAccess } from '../../shared/operations/connections/access/crm-b-access.ts';
import { armChannel } from '../../shared/operations/connections/arm-channel.ts';
import {
  type Disconnected,
  disconnectOauthConnection,
} from '../../shared/operations/connections/disconnect-oauth-connection.ts';
import { sleep } from '../../shared/runtime/clock.ts';
import { oauthClientReader } from '../../shared/stores/connections/oauth-clients.ts';
import type { Cloud } from './cloud.ts';
import type { Answer } from './command.ts';
import { showConnection } from './connection-view.ts';
import { Refusal } from './failures.ts';

const REQUEST_MS = 10_000;

/** What works on the other side of a consent, and why it did not. */
async function remote(cloud: Cloud, type: 'crm-b' | 'help-desk') {
  const [{ hosts }, publicUrl] = await Promise.all([cloud.oauthSettings(), cloud.publicUrl()]);
  const reasons: string[] = [];
  const ofAccounts = zohoAccounts({ timeoutMs: REQUEST_MS, accountsUrl: hosts.accountsUrl });
  const clientOf = oauthClientReader(cloud.secrets, cloud.named.secret(`${type}-oauth`));
  return {
    connections: cloud.connections,
    channels: cloud.channels,
    tokens: cloud.tokens,
    accounts: ofAccounts,
    watch: crmBWatch(crmBApi({ timeoutMs: REQUEST_MS })),
    accessTo: crmBAccess({ ...cloud, accounts: ofAccounts, clientOf, sleep }),
    publicUrl,
    now: cloud.now,
    reasons,
    warn: (message: string, { reason }: { reason: string }) => {
      reasons.push(`${message}: ${reason}`);
    },
  };
}

/** Gives a CRM-B connection a new watch channel with a new token, which nobody is shown. */
export async function rotateChannel(cloud: Cloud, { connection_id, type, grant }: Connection): Promise<Answer> {
  if (type !== 'crm-b')
    throw new Refusal('invalid_value', `The connection ${connection_id} is the help desk's: it has no webhook token.`);
  if (!grant)
    throw new Refusal(
      'not_connected',
      `The connection ${connection_id} is not connected: connection authorize-url tells where to consent.`,
    );
  const deps = await remote(cloud, type);
  if (!(await armChannel(deps, connection_id)))
    throw new Refusal(
      'channel_not_armed',
      `There is no new channel; the one before, if any, goes on (${deps.reasons.join('; ') || 'the connection was changed meanwhile'}). Try again.`,
    );
  return showConnection(
    cloud,
    connection_id,
    'The watch channel is armed anew with a new token; the old channel has ended, and its token counts no more.',
  );
}

const atTheProvider: Record<Disconnected['channel'] | Disconnected['grant'], string> = {
  stopped: 'is stopped',
  not_stopped: 'could not be stopped: it ends by itself within 6 days, and what it delivers is refused',
  revoked: 'is revoked',
  not_revoked: "could not be revoked: the customer may do so in the account's settings, under connected apps",
  none: 'was not there',
};

/** Ends a connection that was made by a consent. */
export async function disconnectConsent(cloud: Cloud, connection: Connection): Promise<Answer> {
  const { connection_id, type } = connection;
  if (!isOauthType(type)) throw new RangeError('crm-a has no consent');
  const deps = await remote(cloud, type);
  const ended = await disconnectOauthConnection(deps, connection);
  if (!ended)
    throw new Refusal('connected_anew', `The connection ${connection_id} was connected anew meanwhile. Try again.`);
  const { json, people } = await showConnection(
    cloud,
    connection_id,
    [
      `The connection is off: ${type === 'crm-b' ? 'what is queued calls nobody' : 'calls get no tickets; those that wait for theirs do so for three days at most'}. connection authorize-url connects again.`,
      ...(type === 'crm-b' ? [`Its watch channel ${atTheProvider[ended.channel]}.`] : []),
      `Its grant ${atTheProvider[ended.grant]}.`,
    ].join('\n'),
  );
  return { json: { ...json, provider: ended }, people };
}
