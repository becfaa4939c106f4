import type { DashboardErrorCode } from './errors.ts';
import type { DashboardRouteName } from './routes.ts';

type Success = 200 | 201 | 202 | 204;

/** The answers of a route, without the errors that every route of its kind may answer. */
export type DashboardAnswers = {
  summary: string;
  success: Success | readonly Success[];
  errors?: readonly DashboardErrorCode[];
};

const files = [
  'invalid_request',
  'no_files_uploaded',
  'unsupported_file_type',
  'unreadable_file',
  'payload_too_large',
  'unsupported_media_type',
] as const satisfies DashboardErrorCode[];

const members = ['member_not_found', 'last_owner', 'changed_meanwhile'] as const satisfies DashboardErrorCode[];

/**
 * Answers of the routes of the dashboard's API, for docs/openapi-dashboard.yaml. Separate from the routes, because the
 * browser does not need them.
 */
export const dashboardAnswers: Readonly<Record<DashboardRouteName, DashboardAnswers>> = {
  'sign-in': {
    summary: 'Begin a session, or choose a password after the first sign-in',
    success: 200,
    errors: ['weak_password', 'wrong_credentials', 'rate_limit_exceeded'],
  },
  'refresh-session': {
    summary: 'Renew the access token with the cookie',
    success: 200,
    errors: ['no_session', 'rate_limit_exceeded'],
  },
  'sign-out': { summary: 'End the session, or all sessions of the person', success: 204, errors: ['no_session'] },
  'request-password-reset': {
    summary: 'E-mail a code for a new password',
    success: 202,
    errors: ['rate_limit_exceeded'],
  },
  'reset-password': {
    summary: 'Set a new password with an e-mailed code',
    success: 204,
    errors: ['wrong_code', 'weak_password', 'rate_limit_exceeded'],
  },
  'show-me': { summary: 'Read who is signed in', success: 200 },
  'update-me': { summary: "Change the person's own profile", success: 200, errors: ['invalid_phone_number'] },
  'change-password': {
    summary: "Change the person's own password",
    success: 204,
    errors: ['weak_password', 'rate_limit_exceeded'],
  },
  'list-members': { summary: 'List the members', success: 200 },
  'invite-member': {
    summary: 'Invite a person, or e-mail an invitation again',
    success: [200, 201],
    errors: ['address_in_use', 'rate_limit_exceeded'],
  },
  'change-role': { summary: "Change a member's role", success: 200, errors: members },
  'remove-member': { summary: 'Remove a member', success: 204, errors: members },
  'list-audit-entries': { summary: 'List the audit log, newest first', success: 200 },
  'show-overview': { summary: 'Read recent figures, and the items that need attention', success: 200 },
  'list-calls': { summary: 'List or search calls', success: 200 },
  'show-call': { summary: 'Read a call with its follow-ups', success: 200, errors: ['call_not_found'] },
  'link-recording': {
    summary: 'Make a link to the recording of a call',
    success: 200,
    errors: ['call_not_found', 'recording_not_found'],
  },
  'place-test-call': {
    summary: "Have an assistant call the person's own phone",
    success: 202,
    errors: [
      'assistant_not_found',
      'no_phone',
      'do_not_call',
      'destination_not_allowed',
      'org_suspended',
      'insufficient_credits',
      'call_erased',
      'rate_limit_exceeded',
    ],
  },
  'list-assistants': { summary: 'List the assistants', success: 200 },
  'create-assistant': {
    summary: 'Create an assistant',
    success: 201,
    errors: ['destination_not_allowed', 'assistant_not_found', 'definition_too_large'],
  },
  'show-assistant': { summary: 'Read an assistant', success: 200, errors: ['assistant_not_found'] },
  'update-assistant': {
    summary: 'Change an assistant',
    success: 200,
    errors: ['destination_not_allowed', 'assistant_not_found', 'changed_meanwhile', 'definition_too_large'],
  },
  'delete-assistant': {
    summary: 'Delete an assistant that no connection uses',
    success: 204,
    errors: ['assistant_not_found', 'assistant_in_use'],
  },
  'add-knowledge': {
    summary: "Append documents to an assistant's knowledge base",
    success: 201,
    errors: [...files, 'org_suspended', 'assistant_not_found', 'knowledge_base_full', 'rate_limit_exceeded'],
  },
  'show-knowledge': {
    summary: 'Read the text of a document',
    success: 200,
    errors: ['assistant_not_found', 'entry_not_found'],
  },
  'remove-knowledge': {
    summary: 'Remove a document',
    success: 204,
    errors: ['assistant_not_found', 'entry_not_found'],
  },
  'stop-call': {
    summary: 'Cancel a waiting call, or hang up a live one',
    success: [200, 202],
    errors: ['call_not_found', 'call_has_ended', 'call_is_being_dialed'],
  },
  'repeat-analysis': {
    summary: 'Analyze a call again',
    success: 200,
    errors: ['org_suspended', 'call_not_found', 'transcript_not_available', 'rate_limit_exceeded', 'analysis_failed'],
  },
  'resend-callback': { summary: 'Send a callback again', success: 202, errors: ['callback_not_found'] },
  'list-lead-events': { summary: 'List or count lead events with their outcomes', success: 200 },
  'explain-lead': { summary: 'Explain why a lead was called or not', success: 200 },
  'retry-leads': {
    summary: 'Queue lead events of an outcome again',
    success: 200,
    errors: ['connection_not_found', 'no_leads'],
  },
  'list-connections': { summary: 'List the connections', success: 200 },
  'create-connection': { summary: 'Create a connection', success: 201, errors: ['connection_exists'] },
  'show-connection': {
    summary: 'Read a connection with its newest lead events',
    success: 200,
    errors: ['connection_not_found'],
  },
  'update-connection': {
    summary: 'Change the settings of a connection',
    success: 200,
    errors: ['connection_not_found', 'assistant_not_found', 'changed_meanwhile'],
  },
  'disconnect-connection': {
    summary: 'Disconnect a connection',
    success: 200,
    errors: ['connection_not_found', 'reconnected_meanwhile'],
  },
  'replace-token': {
    summary: 'Replace the token of a webhook, or arm the watch channel again',
    success: 200,
    errors: ['connection_not_found', 'no_token', 'not_connected', 'channel_not_armed'],
  },
  'begin-consent': {
    summary: "Get the vendor's page where a person consents",
    success: 201,
    errors: ['connection_not_found', 'no_consent', 'client_not_set'],
  },
  'confirm-consent': {
    summary: 'Confirm a pending consent',
    success: 200,
    errors: [
      'begun_elsewhere',
      'connection_not_found',
      'no_consent',
      'no_pending_consent',
      'identity_unknown',
      'wrong_organization',
      'another_organization',
    ],
  },
  'refuse-consent': {
    summary: 'Refuse a pending consent',
    success: 200,
    errors: ['connection_not_found', 'no_pending_consent'],
  },
  'list-choices': {
    summary: 'List the choices for the settings of a connection',
    success: 200,
    errors: ['connection_not_found'],
  },
  'send-test-event': {
    summary: 'Send a lead event that a person typed in',
    success: 202,
    errors: ['connection_not_found', 'no_leads', 'rate_limit_exceeded'],
  },
  'list-keys': { summary: 'List the API keys', success: 200 },
  'create-key': { summary: 'Create an API key', success: 201, errors: ['key_created_before'] },
  'revoke-key': { summary: 'Revoke an API key', success: 204, errors: ['key_not_found'] },
  'show-organization': { summary: 'Read the settings of the organization', success: 200, errors: ['org_not_found'] },
  'update-organization': {
    summary: 'Change the settings of the organization',
    success: 200,
    errors: ['org_not_found', 'changed_meanwhile'],
  },
  'reveal-callback-secret': {
    summary: 'Read the secret that signs callbacks',
    success: 200,
    errors: ['org_not_found', 'no_callback_secret'],
  },
  'rotate-callback-secret': {
    summary: 'Replace the secret that signs callbacks',
    success: 200,
    errors: ['org_not_found', 'changed_meanwhile'],
  },
  'list-credit-entries': { summary: 'List the ledger of credit, newest first', success: 200 },
  'list-do-not-call': { summary: 'List or search the do-not-call list', success: 200 },
  'add-do-not-call': { summary: 'Add numbers to the do-not-call list, or check them', success: 200 },
  'remove-do-not-call': {
    summary: 'Remove a number from the do-not-call list',
    success: 204,
    errors: ['number_not_listed'],
  },
};
