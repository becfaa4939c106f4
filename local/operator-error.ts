/** A failure that the person at the keyboard can mend: its message is one sentence that says how, to be shown without a stack. */
export class OperatorError extends Error {
  override name = 'OperatorError';
}
