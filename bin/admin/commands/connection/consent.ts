import type { OauthType } from '../../../../shared/domain/connections/access/consent.ts';
import { organizationsOf } from '../../../../shared/domain/connections/access/consent-identity.ts';
import { pendingOf } from '../../../../shared/domain/connections/access/pending-consent.ts';
import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { armChannel } from '../../../../shared/operations/connections/arm-channel.ts';
import { chooseOrganization } from '../../../../shared/operations/connections/choose-organization.ts';
import {
  type ConfirmConsentDeps,
  type ConfirmingConsent,
  confirmConsent,
} from '../../../../shared/operations/connections/confirm-consent.ts';
import { refuseConsent } from '../../../../shared/operations/connections/refuse-consent.ts';
import { stopFormerChannel } from '../../../../shared/operations/connections/steps/stop-channel.ts';
import type { FormerGrant } from '../../../../shared/stores/connections/connection-grants.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findConnection } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { clientReader } from '../../vendor-access.ts';
import { type Answer, connectionOption, type OfConnection, optional, required, verb } from '../../verb.ts';
import { channelDeps, identityReader, organizationDeps } from './remote.ts';
import { showConnection } from './view.ts';

type Confirming = OfConnection & { organization: string; anotherOrganization?: boolean };

export const confirmVerb = verb<Confirming>({
  usage: 'confirm',
  summary: 'Confirms who consented, and connects',
  options: [
    connectionOption,
    required('--organization <id>', 'the organization that consented, as connection show names it'),
    optional('--another-organization', 'confirm that it is another organization than before'),
  ],
  act: confirm,
});

export const refuseVerb = verb<OfConnection>({
  usage: 'refuse',
  summary: 'Refuses a pending consent: it is revoked, and the connection does not change',
  options: [connectionOption],
  act: refuse,
});

async function confirm(
  cloud: Cloud,
  { connection: id, organization, anotherOrganization = false }: Confirming,
): Promise<Answer> {
  const connection = await findConnection(cloud, id);
  const consentId = pendingOf(connection, cloud.now())?.id;
  const confirmed =
    consentId === undefined
      ? ({ kind: 'no_pending_consent' } as const)
      : await confirmConsent(await confirmDeps(cloud, connection.type as OauthType), connection, {
          by: await cloud.operator(),
          consentId,
          organizationId: organization,
          isOtherMeant: anotherOrganization,
          browserHash: undefined,
        });
  if (confirmed.kind !== 'connected') throw notConfirmed(connection, confirmed.kind);
  const unarmed =
    confirmed.channel === 'failed'
      ? ['The watch channel could not be armed yet: the service tries again within 15 minutes.']
      : [];
  const unchosen =
    confirmed.organization === 'not_chosen'
      ? [`Choose the organization: connection update --settings '{"orgId": …}'.`]
      : [];
  return showConnection(
    cloud,
    id,
    'The consent is confirmed, and the connection is connected.',
    ...unarmed,
    ...unchosen,
  );
}

function notConfirmed(connection: Connection, kind: Exclude<ConfirmingConsent['kind'], 'connected'>): Refusal {
  const id = connection.connection_id;
  const named = (organizations: { id: string; name: string }[] | undefined) =>
    organizations?.map((one) => `${one.id} (${one.name})`).join(', ') ?? 'unknown';
  const consented = named(connection.pending_consent?.grant.identity?.organizations);
  switch (kind) {
    case 'no_pending_consent':
    case 'begun_elsewhere':
      return new Refusal(
        kind,
        `No consent to connection ${id} is pending. A consent must be confirmed within an hour: begin a new one with connection authorize-url.`,
      );
    case 'identity_unknown':
      return new Refusal(
        kind,
        `The service did not know who consented, and has looked it up again: see connection show --connection ${id}.`,
      );
    case 'wrong_organization':
      return new Refusal(kind, `Another organization consented: ${consented}. Nothing was changed.`);
    case 'another_organization':
      return new Refusal(
        kind,
        `${consented} consented, and connection ${id} belongs to ${named(organizationsOf(connection))}. If this is intended, add --another-organization; otherwise: connection refuse.`,
      );
  }
}

async function refuse(cloud: Cloud, { connection: id }: OfConnection): Promise<Answer> {
  const connection = await findConnection(cloud, id);
  const deps = { ...cloud, ...(await channelDeps(cloud, connection.type as OauthType)) };
  const refused = await refuseConsent(deps, connection, { by: await cloud.operator(), consentId: undefined });
  if (!refused) throw new Refusal('no_pending_consent', `No consent to connection ${id} is pending.`);
  return showConnection(
    cloud,
    id,
    refused.isRevoked
      ? 'The consent was refused and revoked.'
      : 'The consent was refused. It could not be revoked: the person who gave it can revoke it in the account settings, under connected apps.',
  );
}

async function confirmDeps(cloud: Cloud, type: OauthType): Promise<ConfirmConsentDeps> {
  const deps = await channelDeps(cloud, type);
  const common = { ...cloud, ...deps, readIdentity: await identityReader(cloud, type) };
  if (type === 'help-desk') {
    const choosing = { ...common, ...(await organizationDeps(cloud)) };
    return { ...common, chooseOrganization: (connectionId) => chooseOrganization(choosing, connectionId) };
  }
  const stopping = { ...common, clientOf: clientReader(cloud, type) };
  return {
    ...common,
    armChannel: (connectionId) => armChannel(common, connectionId),
    stopFormerChannel: (connection: Connection, former: FormerGrant) => stopFormerChannel(stopping, connection, former),
  };
}
