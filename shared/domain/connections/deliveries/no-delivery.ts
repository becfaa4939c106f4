/** The reason why a connection with a token is not healthy yet. */
export const NO_DELIVERY = 'no delivery has arrived yet';

/** The reason why a CRM-A connection is silent. */
export const NO_RECENT_DELIVERY = 'no delivery has arrived for much longer than usual';
