import type { EndReport } from '../../../domain/calls/platform/platform-message.ts';

type Outcome = EndReport['outcome'];

/** `mayHaveConnected`: a person or a voicemail may have answered. If not, the report's startedAt is meaningless. */
type Meaning = { outcome: Outcome; mayHaveConnected: boolean };

const connected = (outcome: Outcome): Meaning => ({ outcome, mayHaveConnected: true });
const notConnected = (outcome: Outcome): Meaning => ({ outcome, mayHaveConnected: false });

/** Vapi, "Call ended reason": exact values first, then prefixes. Other values mean a failure. */
const exact: Readonly<Record<string, Meaning>> = {
  'customer-ended-call': connected('completed'),
  'assistant-ended-call': connected('completed'),
  'assistant-said-end-call-phrase': connected('completed'),
  'assistant-ended-call-after-message-spoken': connected('completed'),
  'assistant-ended-call-with-hangup-task': connected('completed'),
  'exceeded-max-duration': connected('completed'),
  'silence-timed-out': connected('completed'),
  'call.in-progress.twilio-completed-call': connected('completed'),
  'call.in-progress.sip-completed-call': connected('completed'),
  'vonage-completed': connected('completed'),
  'customer-ended-call-during-transfer': connected('completed'),
  'customer-ended-call-before-warm-transfer': connected('completed'),
  'customer-ended-call-after-warm-transfer-attempt': connected('completed'),
  'call.in-progress.error-transfer-failed': connected('completed'),
  'call.forwarding.operator-busy': connected('completed'),
  'call.forwarding.no-answer': connected('completed'),
  'assistant-forwarded-call': connected('transferred'),
  voicemail: connected('no_answer'),
  'customer-did-not-answer': notConnected('no_answer'),
  'customer-busy': notConnected('busy'),
  'call.in-progress.error-providerfault-outbound-sip-408-request-timeout': notConnected('no_answer'),
  'call.in-progress.error-providerfault-outbound-sip-480-temporarily-unavailable': notConnected('no_answer'),
  'call.in-progress.error-sip-outbound-call-failed-to-connect': notConnected('failed'),
  'twilio-failed-to-connect-call': notConnected('failed'),
  'twilio-reported-customer-misdialed': notConnected('failed'),
  'vonage-rejected': notConnected('failed'),
  'vonage-failed-to-connect-call': notConnected('failed'),
  // "Phone never rang", although such a record may have a start (Vapi docs, "Troubleshoot call errors").
  'call.in-progress.error-vapifault-transport-never-connected': notConnected('failed'),
  'call.in-progress.error-providerfault-transport-never-connected': notConnected('failed'),
  'call.in-progress.error-vapifault-worker-not-available': notConnected('failed'),
  'phone-call-provider-bypass-enabled-but-no-call-received': notConnected('failed'),
  'assistant-not-found': notConnected('failed'),
  'assistant-not-valid': notConnected('failed'),
  'scheduled-call-deleted': notConnected('canceled'),
  'call-deleted': notConnected('canceled'),
  'manually-canceled': connected('canceled'),
};

/**
 * A reason for which no phone rang although neither the called number nor the request is at fault: the call waits.
 * `scope`: whether all calls of the account, or those of the calling number, meet the same error now. A fraud check and
 * the ban of international calls may concern only one destination.
 */
type NotDialed = { isFault: boolean; scope?: 'account' | 'number' };

const startErrors: Readonly<Record<string, NotDialed>> = {
  'subscription-concurrency-limit-reached': { isFault: false, scope: 'account' },
  'subscription-insufficient-credits': { isFault: true, scope: 'account' },
  'subscription-frozen': { isFault: true, scope: 'account' },
  'subscription-wallet-does-not-exist': { isFault: true, scope: 'account' },
  'subscription-upgrade-failed': { isFault: true, scope: 'account' },
  'vapi-number-outbound-daily-limit': { isFault: true, scope: 'number' },
  'get-phone-number': { isFault: true, scope: 'number' },
  'vapi-number-international': { isFault: true },
  'get-transport': { isFault: true },
  'get-resources-validation': { isFault: true },
  'fraud-check-failed': { isFault: true },
  'enterprise-feature-not-available-recording-consent': { isFault: true },
  'vapifault-get-org': { isFault: false },
  'vapifault-get-subscription': { isFault: false },
  // Only Vapi's documentation has the next two ("Troubleshoot call errors"). It suspects the API key for the first.
  'get-org': { isFault: true },
  'get-subscription': { isFault: false },
  'vapifault-database-error': { isFault: false },
};

const START_ERROR = 'call.start.error-';

/** The calling number's SIP trunk requires other credentials, and forwards no request without them (RFC 3261, 22.3). */
const TRUNK_REFUSAL = 'call.in-progress.error-providerfault-outbound-sip-407-proxy-authentication-required';

function notDialed(reason = ''): NotDialed | undefined {
  if (reason === TRUNK_REFUSAL) return { isFault: true, scope: 'number' };
  const name = reason.startsWith(START_ERROR) ? reason.slice(START_ERROR.length) : '';
  return Object.hasOwn(startErrors, name) ? startErrors[name] : undefined;
}

const prefixes: readonly (readonly [string, Meaning])[] = [
  ['call.start.', notConnected('failed')],
  ['call-start-error-', notConnected('failed')],
  ['call.in-progress.error-providerfault-outbound-sip-', notConnected('failed')],
  ['call.in-progress.error-warm-transfer-', connected('completed')],
];

/**
 * Returns the meaning of Vapi's endedReason. An unknown one means a failure during the call.
 * @param isTransferred whether the assistant has tried to transfer the call. A reason for which a line was not
 * connected then concerns the line to the other person (Vapi docs, "Troubleshoot call errors")
 */
export function meaningOf(reason: string | undefined, isTransferred = false): Meaning {
  const meaning = meaningOfReason(reason);
  if (!isTransferred || meaning.mayHaveConnected) return meaning;
  return connected(meaning.outcome === 'canceled' ? 'canceled' : 'completed');
}

function meaningOfReason(reason: string | undefined): Meaning {
  if (reason === undefined) return connected('failed');
  if (notDialed(reason)) return notConnected('not_dialed');
  if (Object.hasOwn(exact, reason)) return exact[reason] as Meaning;
  return prefixes.find(([prefix]) => reason.startsWith(prefix))?.[1] ?? connected('failed');
}

export const refusesAccount = (reason: string | undefined): boolean => notDialed(reason)?.scope === 'account';

/** Returns whether every other call of the same calling number would meet the reason now. */
export const refusesNumber = (reason: string | undefined): boolean => notDialed(reason)?.scope === 'number';

/** Returns whether an operator has to act: the account's credit, standing or limits, or our configuration. */
export const isAccountFault = (reason: string | undefined): boolean => notDialed(reason)?.isFault ?? false;
