/** A command that was not carried out and changed nothing: exit code 1. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly error: string;
  readonly facts: Readonly<Record<string, unknown>>;

  /**
   * @param error the code for scripts.
   * @param message the sentence for people.
   * @param facts further members of the JSON answer.
   */
  constructor(error: string, message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.error = error;
    this.facts = facts;
  }
}

/** A command line that differs from what its help describes: exit code 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** The cloud that a command works on, for messages. */
export type Place = { stage: string; region: string | undefined; emulatorUrl: string | undefined };
