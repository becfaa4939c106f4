import { webhookUrl } from '../../../../shared/domain/connections/connection-view.ts';
import {
  armingWith,
  type ReplaceTokenDeps,
  replaceToken,
} from '../../../../shared/operations/connections/replace-token.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { connectionNotFound, findConnection } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { paragraphs } from '../../output.ts';
import { type Answer, connectionOption, type OfConnection, verb } from '../../verb.ts';
import { channelDeps } from './remote.ts';
import { showConnection } from './view.ts';

export const rotateTokenVerb = verb<OfConnection>({
  usage: 'rotate-token',
  summary: 'Replaces the webhook token at once; for crm-b, by a new watch channel',
  options: [connectionOption],
  act: rotateToken,
});

export const tokenHeader = (token: string): string => `X-CRMA-Webhook-Token: ${token}`;

async function rotateToken(cloud: Cloud, { connection: id }: OfConnection): Promise<Answer> {
  const connection = await findConnection(cloud, id);
  const { connection_id, type } = connection;
  const webhook_url = webhookUrl(await cloud.publicUrl(), connection);
  const failures: string[] = [];
  const armChannel: ReplaceTokenDeps['armChannel'] = async (...arm) => {
    const deps = await channelDeps(cloud, 'crm-b', failures);
    return armingWith(deps)(...arm);
  };
  const replaced = await replaceToken({ ...cloud, armChannel }, await cloud.operator(), connection);
  switch (replaced.kind) {
    case 'replaced':
      return type === 'crm-a'
        ? showToken({ connection_id, webhook_url, token: replaced.token })
        : showConnection(
            cloud,
            connection_id,
            'A new watch channel with a new token is armed; the old channel was stopped, and its token is rejected.',
          );
    case 'no_token':
      throw new Refusal(
        'invalid_value',
        `Connection ${connection_id} is a help desk connection and has no webhook token.`,
      );
    case 'not_connected':
      throw new Refusal(
        'not_connected',
        `Connection ${connection_id} is not connected: the customer consents at the address that connection authorize-url shows.`,
      );
    case 'channel_not_armed':
      throw new Refusal(
        'channel_not_armed',
        `The token was not replaced, because no channel was armed with the new one (${failures.join('; ') || 'the connection was changed meanwhile'}). Try again.`,
      );
    case 'connection_not_found':
      throw connectionNotFound(connection_id);
  }
}

function showToken(json: { connection_id: string; webhook_url: string | null; token: string | undefined }): Answer {
  const people = paragraphs(
    `Connection ${json.connection_id} has a new token; the old one no longer works. Save it now; it is not shown again:\n\n  ${json.token}`,
    `Replace the custom header in both webhooks of LeadSquared (${json.webhook_url}):\n\n  ${tokenHeader(json.token ?? '')}`,
    'LeadSquared turns off a webhook after 10 failures in a row: check both, and turn them on again.',
  );
  return { json, people };
}
