/** Why a connection with a token is not healthy yet. */
export const NO_DELIVERY = 'no delivery has come yet';
