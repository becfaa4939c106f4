import { type DataCenter, dataCenterHosts, dataCenters } from './access/data-center.ts';

/** The hosts with which a stage replaces every data center's real ones. */
export type StageHosts = { accountsUrl?: string | undefined; apiUrl?: string | undefined };

type StageAccounts = Pick<StageHosts, 'accountsUrl'>;

export const accountsServerOf = (dataCenter: DataCenter, { accountsUrl }: StageAccounts): string =>
  accountsUrl ?? dataCenterHosts[dataCenter].accountsServer;

/**
 * Returns the data center of the accounts server that a callback names. The client's secret is sent to no other server.
 * @param begun the data center at which the consent began. The vendor may have moved the person to another one.
 * @returns the consent's own data center if no server is named; undefined if the server is not on the list
 */
export function dataCenterOf(
  accountsServer: string | undefined,
  begun: DataCenter,
  { accountsUrl }: StageAccounts,
): DataCenter | undefined {
  if (accountsServer === undefined) return begun;
  if (accountsUrl !== undefined) return isSameOrigin(accountsServer, accountsUrl) ? begun : undefined;
  return dataCenters.find((each) => isSameOrigin(accountsServer, dataCenterHosts[each].accountsServer));
}

export const isAccountsServer = (url: string, hosts: StageAccounts): boolean =>
  dataCenters.some((each) => isSameOrigin(url, accountsServerOf(each, hosts)));

/** Returns the API domain of a token as the list spells it, or undefined if the list does not have it. */
export function listedApiDomain(
  apiDomain: string | undefined,
  { apiUrl }: Pick<StageHosts, 'apiUrl'>,
): string | undefined {
  const listed = apiUrl === undefined ? dataCenters.map((each) => dataCenterHosts[each].apiDomain) : [apiUrl];
  return listed.find((each) => isSameOrigin(apiDomain, each));
}

/** Compares scheme, host and port. A URL with anything else (path, query, user) does not match. */
function isSameOrigin(given: string | undefined, listed: string): boolean {
  if (given === undefined || !URL.canParse(given)) return false;
  const { origin, pathname, search, hash, username, password } = new URL(given);
  return origin === new URL(listed).origin && pathname === '/' && `${search}${hash}${username}${password}` === '';
}
