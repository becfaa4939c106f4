/** Thrown by a check whose stack does not exist yet. */
export class NotDeployed extends Error {
  override readonly name = 'NotDeployed';
}
