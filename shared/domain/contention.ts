/** Too many others wrote the same items at the same time. Nothing was written; a repeat may succeed. */
export class TransactionContention extends Error {
  override readonly name = 'TransactionContention';
}
