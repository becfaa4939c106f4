import { isOauthType } from '../../../../shared/domain/connections/access/consent.ts';
import { crmBScopesFor } from '../../../../shared/domain/connections/access/oauth-scopes.ts';
import { beginConsent } from '../../../../shared/operations/connections/begin-consent.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findConnection } from '../../cloud/records.ts';
import { type DataCenterFlags, dataCenterOption, readDataCenter } from '../../data-center.ts';
import { Refusal } from '../../failures.ts';
import { oneOf } from '../../values.ts';
import { clientReader } from '../../vendor-access.ts';
import { type Answer, connectionOption, type OfConnection, optional, verb } from '../../verb.ts';

type Flags = OfConnection & DataCenterFlags & { confirm?: string };

export const authorizeVerb = verb<Flags>({
  usage: 'authorize-url',
  summary: 'Shows the address where a customer consents to the connection of crm-b or a help desk',
  options: [
    connectionOption,
    dataCenterOption('data center of the customer'),
    optional(
      '--confirm <choice>',
      'on: the consent waits for "connection confirm"; off: it connects at once, only on a disposable stage (default: on, off for a local cloud)',
    ),
  ],
  act: authorizeUrl,
});

async function authorizeUrl(cloud: Cloud, { connection: id, confirm, ...flags }: Flags): Promise<Answer> {
  const dataCenter = readDataCenter(flags);
  const isConfirmed = waitsForConfirmation(cloud, confirm);
  const connection = await findConnection(cloud, id);
  const { connection_id, org_id, type } = connection;
  if (!isOauthType(type))
    throw new Refusal(
      'invalid_value',
      `Connection ${id} is a crm-a connection: it needs a token (connection rotate-token), not a consent.`,
    );
  const [{ hosts, helpDeskScopes }, publicUrl] = await Promise.all([cloud.oauthSettings(), cloud.publicUrl()]);
  const url = await beginConsent(
    {
      ...cloud,
      states: cloud.oauthStates,
      clientOf: clientReader(cloud, type),
      scopes: type === 'crm-b' ? crmBScopesFor(connection) : helpDeskScopes,
      hosts,
      publicUrl,
    },
    { connection_id, org_id, type },
    dataCenter,
    { actor: await cloud.operator(), connects: isConfirmed ? 'when_confirmed' : 'at_callback' },
  );
  if (url === undefined)
    throw new Refusal(
      'client_not_set',
      `No OAuth client is set for data center ${dataCenter}: pipe {"client_id": …, "client_secret": …} into admin secret set --name ${type}-oauth --data-center ${dataCenter}.`,
    );
  const next = isConfirmed
    ? `\n\nNothing is connected until you confirm who consented: connection show --connection ${id}, then connection confirm.`
    : '';
  return {
    json: { url },
    people: `Open this address within ten minutes, signed in as the user whose rights the service is to have:\n\n  ${url}${next}`,
  };
}

/**
 * Reads `--confirm`.
 * @throws Refusal confirmation_needed for a stage whose data lasts: an address that another person opened first, or
 * that was sent to a stranger, would connect (docs/decisions/0032-consents-are-confirmed.md)
 */
function waitsForConfirmation({ place, isRetained }: Cloud, choice: string | undefined): boolean {
  if (choice === undefined) return place.emulatorUrl === undefined;
  if (oneOf('--confirm', choice, ['on', 'off']) === 'on') return true;
  if (isRetained())
    throw new Refusal(
      'confirmation_needed',
      `On stage ${place.stage} a consent waits until you confirm who gave it, because the browser that opens the address first would connect: leave out --confirm off, and run connection confirm afterwards.`,
    );
  return false;
}
