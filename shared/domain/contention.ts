/** Other workers kept writing the same items. Nothing was written; a retry may succeed. */
export class TransactionContention extends Error {
  override readonly name = 'TransactionContention';
}
