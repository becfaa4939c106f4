import { isOauthType } from '../../../../shared/domain/connections/consent.ts';
import { crmBScopes } from '../../../../shared/domain/connections/oauth-scopes.ts';
import { beginConsent } from '../../../../shared/operations/connections/begin-consent.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findConnection } from '../../cloud/records.ts';
import { type DataCenterFlags, dataCenterOption, readDataCenter } from '../../data-center.ts';
import { Refusal } from '../../failures.ts';
import { type Answer, connectionOption, type OfConnection, verb } from '../../verb.ts';
import { clientReader } from './remote.ts';

export const authorizeVerb = verb<OfConnection & DataCenterFlags>({
  usage: 'authorize-url',
  summary: 'Shows the address where a customer consents to the connection of crm-b or a help desk',
  options: [connectionOption, dataCenterOption('data center of the customer')],
  act: authorizeUrl,
});

async function authorizeUrl(
  cloud: Cloud,
  { connection: id, ...flags }: OfConnection & DataCenterFlags,
): Promise<Answer> {
  const dataCenter = readDataCenter(flags);
  const { connection_id, org_id, type } = await findConnection(cloud, id);
  if (!isOauthType(type))
    throw new Refusal(
      'invalid_value',
      `Connection ${id} is a crm-a connection: it needs a token (connection rotate-token), not a consent.`,
    );
  const [{ hosts, helpDeskScopes }, publicUrl] = await Promise.all([cloud.oauthSettings(), cloud.publicUrl()]);
  const url = await beginConsent(
    {
      states: cloud.oauthStates,
      clientOf: clientReader(cloud, type),
      scopes: type === 'crm-b' ? crmBScopes : helpDeskScopes,
      hosts,
      publicUrl,
      now: cloud.now,
    },
    { connection_id, org_id, type },
    dataCenter,
    await cloud.operator(),
  );
  if (url === undefined)
    throw new Refusal(
      'client_not_set',
      `No OAuth client is set for data center ${dataCenter}: pipe {"client_id": …, "client_secret": …} into admin secret set --name ${type}-oauth --data-center ${dataCenter}.`,
    );
  return {
    json: { url },
    people: `Open this address within ten minutes, signed in as the user whose rights the service is to have:\n\n  ${url}`,
  };
}
