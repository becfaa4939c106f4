/** A command that was refused or not completed: exit code 1. The message says whether something was changed. */
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

/** Returns whether CloudFormation says that the stack does not exist. */
export const isNoStack = (failure: unknown): boolean =>
  failure instanceof Error && failure.name === 'ValidationError' && /does not exist/.test(failure.message);

/** The cloud that a command works on, for messages. */
export type Place = { stage: string; region: string | undefined; emulatorUrl: string | undefined };

/** Names and codes of errors, grouped by the operator's remedy. */
const causes = {
  no_answer:
    /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT|TimeoutError|NetworkingError|RequestTimeout)$/,
  no_credentials:
    /^(CredentialsProviderError|ExpiredToken|ExpiredTokenException|UnrecognizedClientException|InvalidClientTokenId|InvalidAccessKeyId|SignatureDoesNotMatch|InvalidSignatureException|TokenProviderError)$/,
  no_permission:
    /^(AccessDenied|AccessDeniedException|KMSAccessDeniedException|NotAuthorized|AuthorizationError(Exception)?)$/,
  not_found:
    /^(ResourceNotFoundException|QueueDoesNotExist|AWS\.SimpleQueueService\.NonExistentQueue|NotFoundException|NoSuchBucket)$/,
  throttled: /^(Throttling|ThrottlingException|ThrottledException|TooManyRequestsException|RequestLimitExceeded)$/,
} as const;

/** Names the cause of a failure of AWS or of the network; undefined if it is unknown. */
export function causeOf(failure: Error): keyof typeof causes | undefined {
  const words = [failure.name, (failure as NodeJS.ErrnoException).code ?? ''];
  if (/could not load credentials/i.test(failure.message)) return 'no_credentials';
  return (Object.keys(causes) as (keyof typeof causes)[]).find((cause) =>
    words.some((word) => causes[cause].test(word)),
  );
}
