import { LEAST_PASSWORD_CHARACTERS } from '../domain/organizations/password.ts';
import type { RestAnswer } from './rest-route.ts';

/** HTTP statuses of the dashboard's error codes (docs/dashboard.md, "Errors"). */
const statusOf = {
  invalid_request: 400,
  invalid_phone_number: 400,
  weak_password: 400,
  wrong_code: 400,
  no_files_uploaded: 400,
  unsupported_file_type: 400,
  unreadable_file: 400,
  wrong_credentials: 401,
  no_session: 401,
  session_ended: 401,
  foreign_origin: 403,
  no_membership: 403,
  insufficient_credits: 403,
  do_not_call: 403,
  destination_not_allowed: 403,
  org_suspended: 403,
  not_permitted: 403,
  member_not_found: 404,
  assistant_not_found: 404,
  entry_not_found: 404,
  call_not_found: 404,
  recording_not_found: 404,
  callback_not_found: 404,
  key_not_found: 404,
  number_not_listed: 404,
  org_not_found: 404,
  no_callback_secret: 404,
  connection_not_found: 404,
  connection_exists: 409,
  connected_anew: 409,
  not_connected: 409,
  no_consent: 409,
  no_token: 409,
  no_pending_consent: 409,
  begun_elsewhere: 403,
  identity_unknown: 409,
  wrong_organization: 409,
  another_organization: 409,
  no_leads: 409,
  client_not_set: 409,
  address_in_use: 409,
  changed_meanwhile: 409,
  last_owner: 409,
  assistant_in_use: 409,
  definition_too_large: 409,
  knowledge_base_full: 409,
  no_phone: 409,
  call_has_ended: 409,
  call_is_being_dialed: 409,
  transcript_not_available: 409,
  call_erased: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limit_exceeded: 429,
  analysis_failed: 502,
  service_unavailable: 503,
  channel_not_armed: 502,
} as const;

export type Field = { path: string; message: string };

export type Decline = { error: keyof typeof statusOf; message: string; fields?: Field[] };

/** Answers of the API are about one person's organization: no cache may keep them. */
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
  status: statusOf[declined.error],
  headers: { ...noStore, ...headers },
  body: declined,
});

/** @param resetSeconds until the next attempt is allowed. */
export const declineGuess = ({ resetSeconds }: { resetSeconds: number }): RestAnswer =>
  decline(
    { error: 'rate_limit_exceeded', message: `There were too many attempts. Try again in ${resetSeconds} s.` },
    { 'retry-after': String(resetSeconds) },
  );

export const weakPassword = (): RestAnswer =>
  decline({
    error: 'weak_password',
    message: `The new password must have at least ${LEAST_PASSWORD_CHARACTERS} characters, and no blank at its ends.`,
  });

const aboutMember = {
  member_not_found: 'There is no such member.',
  not_permitted: 'Only an owner may decide about owners.',
  last_owner: 'This is the last owner. Make somebody else an owner first.',
  changed_meanwhile: 'Somebody else changed this member at the same time. Look again.',
} as const;

/** Declines to change or remove a member. */
export const declineAboutMember = (error: keyof typeof aboutMember): RestAnswer =>
  decline({ error, message: aboutMember[error] });

/** A membership of an organization that does not exist. */
export const declineWithoutOrg = (): RestAnswer =>
  decline({ error: 'org_not_found', message: 'Your organization does not exist any more.' });

const aboutConnection = {
  connection_not_found: 'There is no connection with this id.',
  connection_exists: 'Your organization has this connection already.',
  connected_anew: 'The connection was connected again meanwhile. Look again.',
  not_connected: 'The connection needs a consent first.',
  no_consent: 'CRM-A is connected by a token, not by a consent.',
  no_pending_consent: 'No such consent waits any more. It was confirmed, refused or replaced, or its hour is over.',
  begun_elsewhere: 'Only the person who began this consent can confirm it, in the browser where it was begun.',
  identity_unknown: 'It was not known who consented. It was asked again: look once more.',
  wrong_organization: 'Another organization consented than the one that you confirm. Look again.',
  another_organization: 'Another organization consented than before. Say that it is meant.',
  no_token: 'The help desk sends nothing to the service, so it has no token.',
  no_leads: 'The help desk sends no leads, so it has no test event.',
  client_not_set: 'No OAuth client is set for this data center. The operator of the service can set one.',
  channel_not_armed: 'CRM-B armed no new channel. The previous one, if any, stays active.',
  changed_meanwhile: 'Somebody else changed this connection meanwhile. Look again.',
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
  call_is_being_dialed: 'The call is being dialed at this very moment. Try again in some seconds.',
  transcript_not_available: 'Nothing that was said in this call is known: there is nothing to analyze.',
  analysis_failed: 'The language model gave no valid answer.',
} as const;

export const declineAboutCall = (error: keyof typeof aboutCall): RestAnswer =>
  decline({ error, message: aboutCall[error] });
