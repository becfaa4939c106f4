import { isOauthType } from '../../shared/domain/connections/consent.ts';
import type { DataCenter } from '../../shared/domain/connections/data-center.ts';
import { DEFAULT_DATA_CENTER, dataCenters } from '../../shared/domain/connections/data-center.ts';
import { crmBScopes } from '../../shared/domain/connections/oauth-scopes.ts';
import { beginConsent } from '../../shared/operations/connections/begin-consent.ts';
import { oauthClientReader } from '../../shared/stores/connections/oauth-clients.ts';
import type { Cloud } from './cloud.ts';
import type { Answer } from './command.ts';
import type { OfConnection } from './connection-activity.ts';
import { findConnection } from './connection-view.ts';
import { Refusal } from './failures.ts';
import { oneOf } from './values.ts';

export type OfDataCenter = { dataCenter?: string };

/** @returns the data center that a flag names; the default where there is no flag. */
export const readDataCenter = ({ dataCenter = DEFAULT_DATA_CENTER }: OfDataCenter): DataCenter =>
  oneOf('--data-center', dataCenter, dataCenters);

/** Begins to connect by consent: the same start as the dashboard's button. */
export async function authorizeUrl(
  cloud: Cloud,
  { connection: id, ...flags }: OfConnection & OfDataCenter,
): Promise<Answer> {
  const dataCenter = readDataCenter(flags);
  const { connection_id, org_id, type } = await findConnection(cloud, id);
  if (!isOauthType(type))
    throw new Refusal(
      'invalid_value',
      `The connection ${id} is crm-a's: it needs no consent, but a token (connection rotate-token).`,
    );
  const [{ hosts, helpDeskScopes }, publicUrl] = await Promise.all([cloud.oauthSettings(), cloud.publicUrl()]);
  const secret = `${type}-oauth` as const;
  const url = await beginConsent(
    {
      states: cloud.oauthStates,
      clientOf: oauthClientReader(cloud.secrets, cloud.named.secret(secret)),
      scopes: type === 'crm-b' ? crmBScopes : helpDeskScopes,
      hosts,
      publicUrl,
      now: cloud.now,
    },
    { connection_id, org_id, type },
    dataCenter,
  );
  if (url === undefined)
    throw new Refusal(
      'client_not_set',
      `No OAuth client is set for the data center ${dataCenter}: pipe {"client_id": …, "client_secret": …} into admin secret set --name ${secret} --data-center ${dataCenter}.`,
    );
  return {
    json: { url },
    people: `Open this within ten minutes, signed in as the user whose rights the service shall have:\n\n  ${url}`,
  };
}
