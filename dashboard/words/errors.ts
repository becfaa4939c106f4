import { ApiError } from '../app/api/api-error.ts';

export type ErrorWords = {
  /** The failure. */
  sentence: string;
  /** How to fix it. */
  fix: string;
};

const START_AGAIN = 'Sign in again.';

const noSuch = (what: string): ErrorWords => ({
  sentence: `There is no such ${what}.`,
  fix: `Look for it in the list of ${what}s.`,
});

/** Every error code of the dashboard's API, and our own, in words. */
export const errorWords: Readonly<Record<string, ErrorWords>> = {
  wrong_credentials: { sentence: 'The e-mail address or the password is wrong.', fix: 'Check both, then try again.' },
  session_ended: { sentence: 'Your session has ended.', fix: START_AGAIN },
  no_session: { sentence: 'You are not signed in.', fix: START_AGAIN },
  session_given_up: { sentence: 'You are signed out, so this was not done.', fix: START_AGAIN },
  no_membership: {
    sentence: 'You are no longer a member of an organization.',
    fix: 'Ask an admin of your organization for a new invitation.',
  },
  not_permitted: { sentence: 'Your role does not allow this.', fix: 'Ask an admin of your organization.' },
  foreign_origin: {
    sentence: 'This page was opened at an address that is not the dashboard’s own.',
    fix: 'Open the dashboard at its own address, then sign in there.',
  },
  invalid_request: { sentence: 'Some entries are not valid.', fix: 'Correct the marked fields.' },
  invalid_phone_number: {
    sentence: 'This phone number cannot be called.',
    fix: 'Enter it with its country code, such as +91 98200 00001.',
  },
  no_phone: { sentence: 'Your profile has no phone number.', fix: 'Enter it under Account, then try again.' },
  insufficient_credits: {
    sentence: 'There is not enough credit for this call at its longest duration.',
    fix: 'Ask the operator of the service for a top-up, or shorten the longest duration.',
  },
  do_not_call: {
    sentence: 'This number is on the do-not-call list.',
    fix: 'Remove it from the list first, or use another number.',
  },
  destination_not_allowed: {
    sentence: 'This number may not be called: its country is not allowed, or it is of a kind that is never called.',
    fix: 'See the countries under Organization. Only the operator of the service can allow another one.',
  },
  org_suspended: {
    sentence: 'Your organization is suspended, so no call is placed and none is analyzed.',
    fix: 'Ask the operator of the service.',
  },
  call_erased: { sentence: 'This call was erased.', fix: 'Place a new call.' },
  assistant_in_use: {
    sentence: 'A connection still uses this assistant.',
    fix: 'Choose another assistant there first.',
  },
  definition_too_large: {
    sentence: 'This is too much text for one assistant.',
    fix: 'Shorten the prompt, or remove files from the knowledge.',
  },
  knowledge_base_full: {
    sentence: 'The assistant has no room for this file.',
    fix: 'It can have 100 files, and fewer if its prompt is long. Remove a file, or shorten the prompt.',
  },
  no_files_uploaded: { sentence: 'No file was received.', fix: 'Choose the file again.' },
  unsupported_file_type: {
    sentence: 'Files of this type cannot be read.',
    fix: 'Use a text (.txt, .md), PDF or Word file (.docx).',
  },
  unreadable_file: {
    sentence: 'This file cannot be read.',
    fix: 'Check that it opens in another program, contains text and has no password.',
  },
  weak_password: {
    sentence: 'This password is too weak.',
    fix: 'Use at least 12 characters, and no space at the beginning or the end.',
  },
  wrong_code: {
    sentence: 'The code is wrong or too old.',
    fix: 'Use the code of the newest e-mail, or send another one.',
  },
  address_in_use: {
    sentence: 'This address already belongs to a member of this or another organization.',
    fix: 'Look for the person in the list of members, or invite the person by another e-mail address.',
  },
  not_invited_again: {
    sentence: 'A person who has signed in needs no invitation.',
    fix: 'To replace a forgotten password, the person chooses “Forgot your password?” on the page of the sign-in.',
  },
  last_owner: { sentence: 'An organization needs at least one owner.', fix: 'Make another member an owner first.' },
  changed_meanwhile: {
    sentence: 'Another person changed this at the same time.',
    fix: 'Review it, then decide.',
  },
  file_too_large: {
    sentence: 'This file is larger than 4 MB.',
    fix: 'Split it, or save it without pictures.',
  },
  payload_too_large: { sentence: 'This is too large.', fix: 'Shorten what you entered.' },
  unsupported_media_type: {
    sentence: 'This page is older than the service.',
    fix: 'Load it again to get the newest version.',
  },
  member_not_found: { sentence: 'This person is no longer a member.', fix: 'Load the list again.' },
  assistant_not_found: noSuch('assistant'),
  entry_not_found: { sentence: 'This file no longer exists.', fix: 'Load the page again.' },
  call_not_found: noSuch('call'),
  callback_not_found: {
    sentence: 'This callback is no longer stored.',
    fix: 'Callbacks are kept for 30 days. Read the call by the REST API instead.',
  },
  call_has_ended: { sentence: 'The call has already ended.', fix: 'See below how it ended.' },
  call_is_being_dialed: {
    sentence: 'The call is being dialed right now.',
    fix: 'Try again in a few seconds.',
  },
  transcript_not_available: {
    sentence: 'This call has no transcript.',
    fix: 'Only calls with a transcript can be analyzed.',
  },
  analysis_failed: {
    sentence: 'The language model gave no valid answer.',
    fix: 'Try again. If it fails again, simplify the analysis fields of the assistant.',
  },
  recording_not_found: {
    sentence: 'This call has no recording, or it was removed.',
    fix: 'Read its transcript instead.',
  },
  key_created_before: { sentence: 'An earlier attempt created this key.', fix: 'Revoke it, then create another one.' },
  key_not_found: { sentence: 'There is no such API key.', fix: 'Load the list again.' },
  connection_not_found: noSuch('connection'),
  connection_exists: { sentence: 'Your organization already has this connection.', fix: 'Open it instead.' },
  reconnected_meanwhile: {
    sentence: 'Another person has reconnected this in the meantime.',
    fix: 'Review it, then decide.',
  },
  not_connected: { sentence: 'This connection has no consent yet.', fix: 'Give the consent first.' },
  no_consent: { sentence: 'CRM-A is connected by a token.', fix: 'Create a new token instead.' },
  no_pending_consent: { sentence: 'This consent no longer awaits confirmation.', fix: 'Load the page again.' },
  begun_elsewhere: {
    sentence: 'This consent was begun by another person, or in another browser.',
    fix: 'The person who began it can confirm it in that browser.',
  },
  identity_unknown: {
    sentence: 'The service did not know who consented. It has now looked it up at Zoho again.',
    fix: 'Check the organization and the person, then decide.',
  },
  wrong_organization: { sentence: 'Another organization consented.', fix: 'Load the page again.' },
  another_organization: { sentence: 'Another organization consented.', fix: 'Load the page again.' },
  no_token: { sentence: 'The help desk needs no token.', fix: 'Give a new consent instead.' },
  no_leads: { sentence: 'The help desk sends no leads.', fix: 'Send the test event from a CRM’s connection.' },
  client_not_set: {
    sentence: 'The service is not registered at this data center.',
    fix: 'Choose another one, or ask the operator of the service to register it.',
  },
  channel_not_armed: {
    sentence: 'CRM-B did not accept the new token, so the current one was not replaced.',
    fix: 'Try again in a moment.',
  },
  org_not_found: {
    sentence: 'Your organization no longer exists.',
    fix: 'Ask the operator of the service.',
  },
  no_callback_secret: { sentence: 'There is no callback secret yet.', fix: 'Replace it to create one.' },
  number_not_listed: { sentence: 'This number is not on the list.', fix: 'Load the list again.' },
  not_found: { sentence: 'This page or item does not exist.', fix: 'Check the address.' },
  rate_limit_exceeded: { sentence: 'Too many attempts.', fix: 'Wait a moment, then try again.' },
  internal_error: {
    sentence: 'The service could not do this.',
    fix: 'Try again. If it fails again, give the request id to the operator of the service.',
  },
  service_unavailable: { sentence: 'The service is not available right now.', fix: 'Try again in a moment.' },
  network: { sentence: 'The service cannot be reached.', fix: 'Check your connection, then try again.' },
  timed_out: { sentence: 'The service did not answer in time.', fix: 'Try again in a minute.' },
  challenge_ended: {
    sentence: 'The sign-in expired.',
    fix: 'Go back to sign-in, and enter the password of the invitation again.',
  },
  clipboard_refused: { sentence: 'The browser did not allow copying.', fix: 'Select it on the page, then copy it.' },
  unexpected_answer: {
    sentence: 'This page does not understand the answer of the service.',
    fix: 'Load the page again: there may be a newer version of it.',
  },
};

/** @returns words for every failure, even for a code that is newer than this page */
export function describeError(error: unknown): ErrorWords {
  if (!(error instanceof ApiError))
    return { sentence: 'This page failed.', fix: 'Load it again. Nothing that was saved is lost.' };
  const known = errorWords[error.code];
  if (known) return known;
  return { sentence: error.message, fix: 'If it happens again, give the request id to the operator of the service.' };
}
