import type { ConnectionView } from '../../../shared/messages/dashboard/connections.ts';

type Pending = NonNullable<ConnectionView['pending_consent']>;

/** Names organizations with their ids, because names may be alike. */
export const formatOrganizations = (organizations: Pending['organizations']): string =>
  organizations?.map(({ id, name }) => (name === '' ? id : `${name} (${id})`)).join(', ') ?? 'not known yet';

/** Returns what a person types to confirm another organization: its name, or its id if it has no name. */
export const confirmationTextOf = (organizations: Pending['organizations']): string =>
  organizations?.[0]?.name || organizations?.[0]?.id || '';

/** Explains how to decide about a pending consent. @param mayConfirm whether this person may confirm it here */
export function describePendingConsent(
  { organizations, user, instead_of }: Pending,
  mayConfirm: boolean,
): { tone: 'info' | 'warn'; title: string; text: string } {
  if (!mayConfirm)
    return {
      tone: 'info',
      title: 'A consent awaits confirmation',
      text: 'Only the person who began it can confirm it, within an hour and in the same browser. You can refuse it.',
    };
  if (!organizations || !user)
    return {
      tone: 'warn',
      title: 'Zoho has not yet said who consented',
      text: 'You can confirm the consent when the person is known. No system is connected until then.',
    };
  if (instead_of)
    return {
      tone: 'warn',
      title: 'A different organization',
      text: `The connection now uses ${formatOrganizations(instead_of)}. Confirm only if you want to replace it.`,
    };
  return {
    tone: 'warn',
    title: 'Is this your organization, and do you know this person?',
    text: 'No system is connected until you confirm the consent. Refuse it if anything looks wrong: a stranger may have opened the consent page.',
  };
}
