/** The vendor has ended the grant. Repeats are useless until a person consents again. */
export class ReconnectNeeded extends Error {
  override readonly name = 'ReconnectNeeded';
}

/** No access token is available at present (throttled, server down, another worker refreshes). A repeat may succeed. */
export class AccessUnavailable extends Error {
  override readonly name = 'AccessUnavailable';
}
