/** The user pool is too busy for a required request. A retry may succeed. */
export class UserPoolThrottled extends Error {
  override readonly name = 'UserPoolThrottled';
}

/** Other workers kept writing the same items; a retry may succeed. */
export class TransactionContention extends Error {
  override readonly name = 'TransactionContention';
  /** Whether the last try may still write its items. Otherwise nothing was written. */
  readonly hasUnknownOutcome: boolean;

  constructor(message?: string, { hasUnknownOutcome = false } = {}) {
    super(message);
    this.hasUnknownOutcome = hasUnknownOutcome;
  }
}
