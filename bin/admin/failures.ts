import { TransactionContention } from '../../shared/domain/contention.ts';
import { SecretNotSet } from '../../shared/stores/secrets.ts';

/** What was asked for is not done, and nothing has changed: exit code 1. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly error: string;
  readonly facts: Readonly<Record<string, unknown>>;

  /** @param error the code for scripts. @param message the sentence for people. @param facts further members of the answer. */
  constructor(error: string, message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.error = error;
    this.facts = facts;
  }
}

/** The command was not written as its help says: exit code 2. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** Which cloud a command works on. */
export type Place = { stage: string; region: string | undefined; emulatorUrl: string | undefined };

/** Codes and names of errors that mean: nobody is there, or nobody answers. */
const noAnswer =
  /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|ETIMEDOUT|TimeoutError|NetworkingError|RequestTimeout)$/;
const notThere =
  /^(ResourceNotFoundException|QueueDoesNotExist|AWS\.SimpleQueueService\.NonExistentQueue|NotFoundException|NoSuchBucket)$/;
const noCredentials =
  /^(CredentialsProviderError|ExpiredToken|ExpiredTokenException|UnrecognizedClientException|InvalidClientTokenId|InvalidAccessKeyId|SignatureDoesNotMatch|InvalidSignatureException|TokenProviderError)$/;
const noPermission = /^(AccessDenied|AccessDeniedException|KMSAccessDeniedException|NotAuthorized)$/;

/** @returns the refusal that tells a person what to do about a failure; what is no known failure stays as it is. */
export function explain(failure: unknown, place: Place): unknown {
  if (failure instanceof Refusal || failure instanceof WrongUsage || !(failure instanceof Error)) return failure;
  if (failure instanceof SecretNotSet)
    return new Refusal(
      'secret_not_set',
      'The voice platform\'s key is not set: pipe {"api_key": …} into admin secret set --name voice.',
    );
  if (failure instanceof TransactionContention)
    return new Refusal('unavailable', 'Others are writing the same items; nothing was changed, try again.');

  const { emulatorUrl, stage, region = 'the configured region' } = place;
  const words = [failure.name, (failure as NodeJS.ErrnoException).code ?? ''];
  const is = (pattern: RegExp) => words.some((word) => pattern.test(word));
  if (is(noAnswer))
    return new Refusal(
      'unavailable',
      emulatorUrl
        ? `The local cloud at ${emulatorUrl} does not answer: start it with npm start.`
        : `AWS in ${region} does not answer: check the network and the region (--aws-region), and look whether it was done before you repeat it.`,
    );
  if (is(noCredentials) || /could not load credentials/i.test(failure.message))
    return new Refusal(
      'unavailable',
      emulatorUrl
        ? `The local cloud at ${emulatorUrl} refuses the local credentials: start it anew with npm start.`
        : 'There are no valid AWS credentials: sign in (aws sso login, or AWS_PROFILE), or start the local cloud with npm start.',
    );
  if (/region is missing/i.test(failure.message))
    return new Refusal('unavailable', 'No AWS region is set: set AWS_REGION, or name it with --aws-region.');
  if (is(noPermission)) return new Refusal('unavailable', `These AWS credentials may not do this: ${failure.message}`);
  if (is(notThere) || (failure.name === 'ValidationError' && /does not exist/.test(failure.message)))
    return new Refusal(
      'not_deployed',
      emulatorUrl
        ? `The service is not in the local cloud at ${emulatorUrl}: start it anew with npm start.`
        : `Stage ${stage} is not deployed in ${region}: deploy it (npx cdk deploy --all -c stage=${stage}), or name another with --stage and --aws-region.`,
    );
  return failure;
}
