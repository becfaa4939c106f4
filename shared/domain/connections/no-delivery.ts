/** Why a connection with a token is not healthy yet. */
export const NO_DELIVERY = 'no delivery has come yet';

/** Why a connection of CRM-A is silent. */
export const NO_DELIVERY_ANY_MORE = 'no delivery has come for much longer than usual';
