import { TransactionContention } from '../../shared/domain/contention.ts';
import { SecretNotSet } from '../../shared/stores/secrets.ts';
import { causeOf, isNoStack, type Place, Refusal, WrongUsage } from './failures.ts';

/** @returns a refusal that says how to fix a known failure; an unknown failure unchanged */
export function explain(failure: unknown, { emulatorUrl, stage, region = 'the configured region' }: Place): unknown {
  if (failure instanceof Refusal || failure instanceof WrongUsage || !(failure instanceof Error)) return failure;
  if (failure instanceof SecretNotSet)
    return new Refusal(
      'secret_not_set',
      'The key of the voice platform is not set: pipe {"api_key": …} into admin secret set --name voice.',
    );
  if (failure instanceof TransactionContention)
    return new Refusal(
      'unavailable',
      failure.hasUnknownOutcome
        ? 'AWS did not finish the write in time. The command may have taken effect: check before you repeat it.'
        : 'Other writers kept changing the same items. Repeat the command.',
    );

  const cause = causeOf(failure);
  if (cause === 'no_answer')
    return new Refusal(
      'unavailable',
      emulatorUrl
        ? `The local cloud at ${emulatorUrl} does not answer: start it with npm start.`
        : `AWS in ${region} does not answer: check the network and the region (--aws-region). The command may have taken effect: check before you repeat it.`,
    );
  if (cause === 'no_credentials')
    return new Refusal(
      'unavailable',
      emulatorUrl
        ? `The local cloud at ${emulatorUrl} rejects the local credentials: restart it with npm start.`
        : 'No valid AWS credentials were found: sign in (aws sso login, or AWS_PROFILE), or start the local cloud with npm start.',
    );
  if (/region is missing/i.test(failure.message))
    return new Refusal('unavailable', 'No AWS region is set: set AWS_REGION, or give --aws-region.');
  if (cause === 'no_permission')
    return new Refusal('unavailable', `These AWS credentials lack the permission: ${failure.message}`);
  if (cause === 'not_found' || isNoStack(failure))
    return new Refusal(
      'not_deployed',
      emulatorUrl
        ? `The service is not deployed in the local cloud at ${emulatorUrl}: restart it with npm start.`
        : `Stage ${stage} is not deployed in ${region}: deploy it (npx cdk deploy --all -c stage=${stage}), or give another stage or region (--stage, --aws-region).`,
    );
  return failure;
}
