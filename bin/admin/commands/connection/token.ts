import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { isOauthType } from '../../../../shared/domain/connections/consent.ts';
import { armChannel } from '../../../../shared/operations/connections/arm-channel.ts';
import { rotateCrmAToken } from '../../../../shared/operations/connections/rotate-crm-a-token.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { connectionNotFound, findConnection } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { paragraphs } from '../../output.ts';
import { type Answer, connectionOption, type OfConnection, verb } from '../../verb.ts';
import { channelDeps } from './remote.ts';
import { showConnection, webhookUrl } from './view.ts';

export const rotateTokenVerb = verb<OfConnection>({
  usage: 'rotate-token',
  summary: 'Replaces the webhook token at once; for crm-b, by a new watch channel',
  options: [connectionOption],
  act: rotateToken,
});

export const tokenHeader = (token: string): string => `X-CRMA-Webhook-Token: ${token}`;

async function rotateToken(cloud: Cloud, { connection: id }: OfConnection): Promise<Answer> {
  const connection = await findConnection(cloud, id);
  return isOauthType(connection.type) ? rotateChannel(cloud, connection) : rotateCrmA(cloud, connection);
}

async function rotateCrmA(cloud: Cloud, connection: Connection): Promise<Answer> {
  const { connection_id } = connection;
  const webhook_url = webhookUrl(await cloud.publicUrl(), connection);
  const token = await rotateCrmAToken(cloud, connection_id);
  if (token === undefined) throw connectionNotFound(connection_id);
  const people = paragraphs(
    `Connection ${connection_id} has a new token; the old one no longer works. Save it now; it is not shown again:\n\n  ${token}`,
    `Replace the custom header in both webhooks of LeadSquared (${webhook_url}):\n\n  ${tokenHeader(token)}`,
    'LeadSquared turns off a webhook after 10 failures in a row: check both, and turn them on again.',
  );
  return { json: { connection_id, webhook_url, token }, people };
}

/** Gives a CRM-B connection a new watch channel with a new token. The token is never shown. */
async function rotateChannel(cloud: Cloud, { connection_id, type, grant }: Connection): Promise<Answer> {
  if (type !== 'crm-b')
    throw new Refusal(
      'invalid_value',
      `Connection ${connection_id} is a help desk connection and has no webhook token.`,
    );
  if (!grant)
    throw new Refusal(
      'not_connected',
      `Connection ${connection_id} is not connected: connection authorize-url shows the address for the consent.`,
    );
  const deps = await channelDeps(cloud, type);
  if (!(await armChannel(deps, connection_id)))
    throw new Refusal(
      'channel_not_armed',
      `No new channel was armed; the previous one, if any, stays active (${deps.failures.join('; ') || 'the connection was changed meanwhile'}). Try again.`,
    );
  return showConnection(
    cloud,
    connection_id,
    'A new watch channel with a new token is armed; the old channel was stopped, and its token is rejected.',
  );
}
