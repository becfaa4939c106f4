/** The user pool is too busy for a required request. A retry may succeed. */
export class UserPoolThrottled extends Error {
  override readonly name = 'UserPoolThrottled';
}

/** Other workers kept writing the same items. Nothing was written; a retry may succeed. */
export class TransactionContention extends Error {
  override readonly name = 'TransactionContention';
}
