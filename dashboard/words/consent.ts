export type ConsentWords = { kind: 'good' | 'warn' | 'bad'; title: string; text: string };

const failures: Readonly<Record<string, string>> = {
  access_denied: 'The consent was denied. Nothing was changed.',
  invalid_code: 'The consent was too old, or already used. Please start it again.',
  missing_refresh_token: 'The provider gave no lasting access. Please start the consent again.',
  client_not_set: 'No OAuth client is set for this data center. The operator of the service can set one.',
  unexpected_accounts_server: 'The provider answered from a server that is not on the list.',
  unexpected_api_domain: 'The provider named an API that is not on the list.',
};

const CONNECTION_ID = /^conn_[0-9a-f]{24}$/;

/** What the address says after a consent page. */
export type ConsentReturn = { connected?: string; channel?: string; organization?: string; error?: string };

/**
 * Anybody can make up an address, so it shows our own sentences only, and an id only where it has the form of one.
 * @returns undefined where the person does not come from a consent page
 */
export function consentInWords({ connected, channel, organization, error }: ConsentReturn): ConsentWords | undefined {
  if (error !== undefined)
    return {
      kind: 'bad',
      title: 'Not connected',
      text: failures[error] ?? 'The provider refused for another reason. Please start the consent again.',
    };
  if (connected === undefined || !CONNECTION_ID.test(connected)) return undefined;
  if (channel === 'failed')
    return {
      kind: 'warn',
      title: 'Connected, without a watch channel yet',
      text: `${connected} has its consent. The service tries to set up its channel again every 15 minutes.`,
    };
  if (organization === 'not_chosen')
    return {
      kind: 'warn',
      title: 'Connected, one step left',
      text: `${connected} has its consent. The organization of the help desk is still to be chosen.`,
    };
  return { kind: 'good', title: 'Connected', text: `${connected} has its consent.` };
}
