export type ConsentWords = { kind: 'good' | 'warn' | 'bad'; title: string; text: string };

const START_AGAIN = 'Please start again.';

/** Every way in which a consent can fail: the vendor's codes and our own (docs/crm-b.md, "Results of a consent"). */
export const consentFailures: Readonly<Record<string, string>> = {
  access_denied: 'The consent was denied on the vendor’s page. Nothing was changed.',
  invalid_state:
    'The consent took longer than ten minutes, or its page was opened twice; only the first time counts. If the connection shows no consent, please start again.',
  invalid_code: `The consent has expired or was already used. ${START_AGAIN}`,
  invalid_client: 'The vendor does not accept the service’s registration. The operator of the service can fix it.',
  invalid_client_secret: 'The vendor does not accept the service’s secret. The operator of the service can fix it.',
  invalid_redirect_uri: 'The vendor does not know the service’s address. The operator of the service can register it.',
  redirect_uri_mismatch: 'The vendor does not know the service’s address. The operator of the service can register it.',
  missing_refresh_token: `The vendor did not grant lasting access. ${START_AGAIN}`,
  client_not_set: 'The service is not registered at this data center. Choose another data center, or ask the operator.',
  connection_not_found: 'The connection no longer exists.',
  unexpected_accounts_server: 'The answer came from a server that is not known to be the vendor’s.',
  unexpected_api_domain: 'The vendor named an unknown API server, so the access was revoked.',
  unexpected_answer: 'The service does not understand the vendor’s answer. Please try again later.',
  accounts_server_unavailable: 'The vendor’s server did not answer. Please try again in a few minutes.',
  too_many_requests: 'The vendor limits the number of consents in ten minutes. Please wait, then start again.',
};

export const CONNECTION_ID = /^conn_[0-9a-f]{24}$/;

/** The consent's result as the address shows it. */
export type ConsentReturn = {
  connected?: string;
  channel?: string;
  organization?: string;
  pending?: string;
  error?: string;
};

const NOT_CONNECTED_YET =
  'No system is connected until the person who began the consent confirms it in the same browser.';

/**
 * Describes a consent's result. Anyone can invent an address, so it only selects one of our own sentences.
 * @returns undefined if the person does not come from a consent page
 */
export function describeConsentResult({
  connected,
  channel,
  organization,
  pending,
  error,
}: ConsentReturn): ConsentWords | undefined {
  if (error !== undefined)
    return {
      kind: 'bad',
      title: 'The consent was not completed',
      text: Object.hasOwn(consentFailures, error)
        ? (consentFailures[error] ?? '')
        : `The vendor refused for another reason. ${START_AGAIN}`,
    };
  if (pending !== undefined && CONNECTION_ID.test(pending))
    return {
      kind: 'warn',
      title: 'The consent awaits confirmation',
      text: NOT_CONNECTED_YET,
    };
  if (connected === undefined || !CONNECTION_ID.test(connected)) return undefined;
  if (channel === 'failed')
    return {
      kind: 'warn',
      title: 'Connected, but without a watch channel yet',
      text: 'The consent is given. The service tries to set up a channel every 15 minutes.',
    };
  if (organization === 'not_chosen')
    return {
      kind: 'warn',
      title: 'Connected, one step left',
      text: 'The consent is given. Choose the organization of the help desk below.',
    };
  return { kind: 'good', title: 'Connected', text: 'The consent is given.' };
}
