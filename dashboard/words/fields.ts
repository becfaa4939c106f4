import { ApiError, type FieldError } from '../app/api/api-error.ts';
import { describeError } from './errors.ts';

type Issue = {
  code?: string | undefined;
  message?: string | undefined;
  minimum?: unknown;
  maximum?: unknown;
  format?: unknown;
};

/** Explains why a field's value is invalid. zod/mini itself says only "Invalid input". */
export function describeIssue(issue: Issue): string {
  // A rule of ours has its own sentence.
  if (issue.message && (issue.code === 'custom' || issue.message.startsWith('must '))) return toSentence(issue.message);
  if (issue.code === 'too_small')
    return issue.minimum === 1 ? 'Please fill this in.' : `At least ${issue.minimum} characters.`;
  if (issue.code === 'too_big') return `At most ${issue.maximum} characters.`;
  if (issue.code === 'invalid_format' && issue.format === 'regex') return 'Enter the digits of the code.';
  return 'This value cannot be used.';
}

/** Makes "must be a time of day" a sentence of its own. */
export const toSentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;

/** The field that an error of the whole request concerns, if the form has it. */
const fieldOfError: Readonly<Record<string, string>> = {
  weak_password: 'new_password',
  wrong_code: 'code',
  invalid_phone_number: 'phone',
  address_in_use: 'email',
};

/** @returns the invalid fields of a failed request; a failure about one field gets our own words, with the fix */
export function fieldErrorsOf(error: unknown): FieldError[] {
  if (!(error instanceof ApiError)) return [];
  const path = fieldOfError[error.code];
  if (path === undefined || error.fields.some((one) => one.path !== path)) return error.fields;
  const { sentence, fix } = describeError(error);
  return [{ path, message: `${sentence} ${fix}` }];
}
