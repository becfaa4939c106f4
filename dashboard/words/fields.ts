type Issue = {
  code?: string | undefined;
  message?: string | undefined;
  minimum?: unknown;
  maximum?: unknown;
  format?: unknown;
};

/** Says why a field's value cannot be sent. zod/mini itself says only "Invalid input". */
export function fieldWords(issue: Issue): string {
  if (issue.message?.startsWith('must ')) return sentenceOf(issue.message);
  if (issue.code === 'custom' && issue.message && issue.message !== 'Invalid input') return sentenceOf(issue.message);
  if (issue.code === 'too_small') return issue.minimum === 1 ? 'Please fill this in.' : `At least ${issue.minimum}.`;
  if (issue.code === 'too_big') return `At most ${issue.maximum} characters.`;
  if (issue.code === 'invalid_format' && issue.format === 'regex') return 'Enter the digits of the code.';
  return 'This cannot be used.';
}

/** "must be a text": as the API says it, as a sentence. */
export const sentenceOf = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** The field that an error of the whole request concerns, where the form has it. */
export const fieldOfError: Readonly<Record<string, string>> = {
  weak_password: 'new_password',
  wrong_code: 'code',
  invalid_phone_number: 'phone',
  address_in_use: 'email',
};
