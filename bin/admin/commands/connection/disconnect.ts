import { isOauthType, type OauthType } from '../../../../shared/domain/connections/access/consent.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { disconnectConnection } from '../../../../shared/operations/connections/disconnect-connection.ts';
import { type Disconnected, endConsent } from '../../../../shared/operations/connections/steps/end-consent.ts';
import type { Write } from '../../../../shared/stores/dynamodb/transaction.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { connectionNotFound, findConnection } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { type Answer, connectionOption, type OfConnection, verb } from '../../verb.ts';
import { channelDeps } from './remote.ts';
import { showConnection } from './view.ts';

export const disconnectVerb = verb<OfConnection>({
  usage: 'disconnect',
  summary: 'Disconnects; settings and Activity stay',
  options: [connectionOption],
  act: disconnect,
});

async function disconnect(cloud: Cloud, { connection: id }: OfConnection): Promise<Answer> {
  const connection = await findConnection(cloud, id);
  const { type } = connection;
  const deps = {
    ...cloud,
    endConsent: async (one: Connection, extraWrite: Write) =>
      endConsent(await channelDeps(cloud, type as OauthType), one, extraWrite),
  };
  const ended = await disconnectConnection(deps, await cloud.operator(), connection);
  switch (ended.kind) {
    case 'disconnected':
      return isOauthType(type) && ended.provider ? showEnded(cloud, id, type, ended.provider) : showOff(cloud, id);
    case 'connection_not_found':
      throw connectionNotFound(id);
    case 'reconnected_meanwhile':
      throw new Refusal('reconnected_meanwhile', `Connection ${id} was connected again meanwhile. Try again.`);
  }
}

const showOff = (cloud: Cloud, id: string): Promise<Answer> =>
  showConnection(
    cloud,
    id,
    'The connection is off: its webhook answers 401, and queued leads are not called. Connect it again with connection rotate-token.',
  );

const channelResults: Record<Disconnected['channel'], string> = {
  stopped: 'was stopped',
  not_stopped: 'could not be stopped: it expires within 6 days, and its deliveries are rejected',
  none: 'did not exist',
};

const grantResults: Record<Disconnected['grant'], string> = {
  revoked: 'was revoked',
  not_revoked: 'could not be revoked: the customer can revoke it in the account settings, under connected apps',
  none: 'did not exist',
};

const consequences: Record<OauthType, string> = {
  'crm-b': 'queued leads are not called',
  'help-desk': 'calls get no tickets; calls that already wait for a ticket wait three days at most',
};

async function showEnded(cloud: Cloud, id: string, type: OauthType, ended: Disconnected): Promise<Answer> {
  const { json, people } = await showConnection(
    cloud,
    id,
    `The connection is off: ${consequences[type]}. Connect it again with connection authorize-url.`,
    ...(type === 'crm-b' ? [`Its watch channel ${channelResults[ended.channel]}.`] : []),
    `Its grant ${grantResults[ended.grant]}.`,
  );
  return { json: { ...json, provider: ended }, people };
}
