/** A failure that the operator can fix. Its message says how, in one sentence; it is shown without a stack. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}
