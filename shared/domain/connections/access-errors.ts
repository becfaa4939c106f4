/** The grant is gone at the provider: only a person can connect again. Repeats are of no use. */
export class ReconnectNeeded extends Error {
  override readonly name = 'ReconnectNeeded';
}

/** There is no access token at the moment (throttled, down, somebody else refreshes it): a repeat may succeed. */
export class AccessUnavailable extends Error {
  override readonly name = 'AccessUnavailable';
}
