import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';

type Pending = NonNullable<ConnectionView['pending_consent']>;

/** Names organizations with their ids, because names may be alike. */
export const organizationsInWords = (organizations: Pending['organizations']): string =>
  organizations?.map(({ id, name }) => (name === '' ? id : `${name} (${id})`)).join(', ') ?? 'not known yet';

/** The decision about a pending consent. @param mayConfirm whether this person may confirm it in this browser */
export function pendingInWords(
  { organizations, user, instead_of }: Pending,
  mayConfirm: boolean,
): { tone: 'info' | 'warn'; title: string; text: string } {
  if (!mayConfirm)
    return {
      tone: 'info',
      title: 'A consent awaits confirmation',
      text: 'Only the person who began it can confirm it, within the hour and in the browser where it was begun. You can refuse it.',
    };
  if (!organizations || !user)
    return {
      tone: 'warn',
      title: 'Zoho has not named who consented yet',
      text: 'The consent can be confirmed once that is known. Nothing is connected until then.',
    };
  if (instead_of)
    return {
      tone: 'warn',
      title: 'Another organization than before',
      text: `Until now ${organizationsInWords(instead_of)} is connected. Confirm only if you mean to change it.`,
    };
  return {
    tone: 'warn',
    title: 'Is this your organization, and a person whom you know?',
    text: 'Nothing is connected until you confirm it. Refuse it if anything looks strange: somebody else may have opened the page.',
  };
}
