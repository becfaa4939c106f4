import { MIN_PASSWORD_CHARACTERS } from '../../domain/organizations/members/password.ts';
import { type DashboardErrorCode, statusOfDashboardError } from '../../messages/dashboard/errors.ts';
import type { RestAnswer } from '../rest/rest-route.ts';

export type Field = { path: string; message: string };

export type Decline = { error: DashboardErrorCode; message: string; fields?: Field[] };

/** The API's answers concern one person's organization, so caches must not store them. */
const noStore = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export const answer = (status: 200 | 201 | 202, body: object, more: Pick<RestAnswer, 'cookies'> = {}): RestAnswer => ({
  status,
  headers: noStore,
  body,
  ...more,
});

export const noContent = (more: Pick<RestAnswer, 'cookies'> = {}): RestAnswer => ({
  status: 204,
  headers: noStore,
  ...more,
});

/** Builds an error answer of the documented shape. */
export const decline = (declined: Decline, headers: Record<string, string> = {}): RestAnswer => ({
  status: statusOfDashboardError[declined.error],
  headers: { ...noStore, ...headers },
  body: declined,
});

/** Declines a request beyond a limit. @param resetSeconds until the next attempt is allowed. */
export const declineTooManyAttempts = ({ resetSeconds }: { resetSeconds: number }): RestAnswer =>
  decline(
    { error: 'rate_limit_exceeded', message: `There were too many attempts. Try again in ${resetSeconds} s.` },
    { 'retry-after': String(resetSeconds) },
  );

export const weakPassword = (): RestAnswer =>
  decline({
    error: 'weak_password',
    message: `The new password must have at least ${MIN_PASSWORD_CHARACTERS} characters, and must not begin or end with a space.`,
  });

const aboutMember = {
  member_not_found: 'There is no such member.',
  not_permitted: 'Only an owner may decide about owners.',
  last_owner: 'This is the last owner. Make another member an owner first.',
  changed_meanwhile: 'Another person changed this member at the same time. Check it again.',
} as const;

/** Declines to change or remove a member. */
export const declineAboutMember = (error: keyof typeof aboutMember): RestAnswer =>
  decline({ error, message: aboutMember[error] });

/** Declines the request of a member whose organization no longer exists. */
export const declineWithoutOrg = (): RestAnswer =>
  decline({ error: 'org_not_found', message: 'Your organization no longer exists.' });

const aboutConnection = {
  connection_not_found: 'There is no connection with this id.',
  connection_exists: 'Your organization has this connection already.',
  reconnected_meanwhile: 'The connection was connected again in the meantime. Check it again.',
  not_connected: 'The connection needs a consent first.',
  no_consent: 'CRM-A is connected by a token, not by a consent.',
  no_pending_consent: 'This consent is no longer pending. It was confirmed, refused or replaced, or its hour is over.',
  begun_elsewhere: 'Only the person who began this consent can confirm it, in the browser where it was begun.',
  identity_unknown: 'The service did not know who consented, and has looked it up again. Check the consent again.',
  wrong_organization: 'A different organization consented than the one that you confirm. Check it again.',
  another_organization: 'A different organization consented than before. Confirm that this is intended.',
  no_token: 'The help desk sends nothing to the service, so it has no token.',
  no_leads: 'The help desk sends no leads, so it has no test event.',
  client_not_set: 'No OAuth client is set for this data center. The operator of the service can set one.',
  channel_not_armed: 'CRM-B armed no channel with the new token, so the token was not replaced. Try again.',
  changed_meanwhile: 'Another person has changed this connection. Check it again.',
} as const;

export const noSuchAssistant = (): RestAnswer => {
  const message = 'Your organization has no such assistant.';
  return decline({ error: 'assistant_not_found', message, fields: [{ path: 'assistant_id', message }] });
};

export const declineAboutConnection = (error: keyof typeof aboutConnection): RestAnswer =>
  decline({ error, message: aboutConnection[error] });

const aboutCall = {
  call_not_found: 'There is no call with this id.',
  recording_not_found: 'This call has no recording, or it was removed.',
  callback_not_found: 'There is no such callback of this call.',
  call_has_ended: 'The call has ended.',
  call_is_being_dialed: 'The call is being dialed at this very moment. Try again in a few seconds.',
  transcript_not_available: 'The call has no transcript, so there is nothing to analyze.',
  analysis_failed: 'The language model gave no valid answer.',
} as const;

export const declineAboutCall = (error: keyof typeof aboutCall): RestAnswer =>
  decline({ error, message: aboutCall[error] });
