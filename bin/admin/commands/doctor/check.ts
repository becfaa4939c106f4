import { StageError } from '../../../../lib/stage-file.ts';
import { SecretNotSet } from '../../../../shared/stores/secrets.ts';
import { causeOf } from '../../failures.ts';
import type { CheckContext } from './check-context.ts';
import { NotDeployed } from './check-context.ts';

/** One line of the report. `fix`: the command that fixes it, or what a person must do. */
export type Finding = { status: 'ok' | 'warning' | 'failed'; message: string; fix?: string };

export type Check = {
  name: string;
  /** The rights that the check needs, if AWS does not name the missing one. */
  rights: string;
  examine(context: CheckContext): Promise<readonly Finding[]>;
};

export const ok = (message: string): Finding => ({ status: 'ok', message });
export const warning = (message: string, fix?: string): Finding => ({
  status: 'warning',
  message,
  ...(fix && { fix }),
});
export const failed = (message: string, fix?: string): Finding => ({ status: 'failed', message, ...(fix && { fix }) });

/** Returns the findings, or if there are none, one that says that all is in order. */
export const findingsOr = (findings: readonly Finding[], inOrder: string): readonly Finding[] =>
  findings.length > 0 ? findings : [ok(inOrder)];

/**
 * Runs one check. Its failure is a finding and does not stop other checks.
 * @throws the failure if the credentials are missing or wrong, because every check would fail alike
 */
export async function examined(check: Check, context: CheckContext): Promise<readonly Finding[]> {
  try {
    return await check.examine(context);
  } catch (error) {
    if (!(error instanceof Error) || causeOf(error) === 'no_credentials') throw error;
    return [whyUnknown(check, error, context)];
  }
}

function whyUnknown({ rights }: Check, error: Error, context: CheckContext): Finding {
  const again = `Run it again: ${context.admin('doctor')}`;
  if (error instanceof NotDeployed)
    return warning('Not deployed yet.', `npx cdk deploy --all -c stage=${context.cloud.place.stage}`);
  if (error instanceof StageError)
    return failed('Not checked: the settings of the stage are wrong.', 'Correct them first.');
  if (error instanceof SecretNotSet)
    return failed(
      'Not checked: the key of the voice platform is not set.',
      context.admin('secret set --name voice', 'voice.json'),
    );
  switch (causeOf(error)) {
    case 'no_permission':
      return failed(
        `Not checked: these credentials lack the right ${/perform: ([\w-]+:\w+)/.exec(error.message)?.[1] ?? rights}.`,
        'Allow it in the policy of the credentials.',
      );
    case 'throttled':
      return failed('Not checked: AWS throttles the requests of the account.', again);
    case 'no_answer':
      return failed('Not checked: AWS did not answer in time.', again);
    default:
      return failed(`Not checked: ${error.message}`, again);
  }
}
