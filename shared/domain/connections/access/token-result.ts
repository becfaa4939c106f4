/** The vendor has ended the grant. Repeats fail until a person consents again. */
export type ReconnectNeeded = { kind: 'reconnect_needed'; reason: string };

/** The reason why there is no access token. `unavailable`: throttled, server down, another worker refreshes. */
export type NoToken = ReconnectNeeded | { kind: 'unavailable'; reason: string };

/** The result of a request for an access token. */
export type TokenResult = { kind: 'token'; token: string } | NoToken;
