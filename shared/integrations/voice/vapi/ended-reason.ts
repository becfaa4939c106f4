import type { EndReport } from '../../../domain/calls/platform/platform-message.ts';

type Outcome = EndReport['outcome'];

/** `line`: whether a person or a voicemail may have answered. If not, the report's startedAt is meaningless. */
type Meaning = { outcome: Outcome; line: boolean };

const talked = (outcome: Outcome): Meaning => ({ outcome, line: true });
const unreached = (outcome: Outcome): Meaning => ({ outcome, line: false });

/** Vapi, "Call ended reason": exact values first, then prefixes. Other values mean a failure. */
const exact: Readonly<Record<string, Meaning>> = {
  'customer-ended-call': talked('completed'),
  'assistant-ended-call': talked('completed'),
  'assistant-said-end-call-phrase': talked('completed'),
  'assistant-ended-call-after-message-spoken': talked('completed'),
  'assistant-ended-call-with-hangup-task': talked('completed'),
  'exceeded-max-duration': talked('completed'),
  'silence-timed-out': talked('completed'),
  'call.in-progress.twilio-completed-call': talked('completed'),
  'call.in-progress.sip-completed-call': talked('completed'),
  'vonage-completed': talked('completed'),
  'customer-ended-call-during-transfer': talked('completed'),
  'customer-ended-call-before-warm-transfer': talked('completed'),
  'customer-ended-call-after-warm-transfer-attempt': talked('completed'),
  'call.in-progress.error-transfer-failed': talked('completed'),
  'call.forwarding.operator-busy': talked('completed'),
  'call.forwarding.no-answer': talked('completed'),
  'assistant-forwarded-call': talked('transferred'),
  voicemail: talked('no_answer'),
  'customer-did-not-answer': unreached('no_answer'),
  'customer-busy': unreached('busy'),
  'call.in-progress.error-providerfault-outbound-sip-408-request-timeout': unreached('no_answer'),
  'call.in-progress.error-providerfault-outbound-sip-480-temporarily-unavailable': unreached('no_answer'),
  'call.in-progress.error-sip-outbound-call-failed-to-connect': unreached('failed'),
  'twilio-failed-to-connect-call': unreached('failed'),
  'twilio-reported-customer-misdialed': unreached('failed'),
  'vonage-rejected': unreached('failed'),
  'vonage-failed-to-connect-call': unreached('failed'),
  'assistant-not-found': unreached('failed'),
  'assistant-not-valid': unreached('failed'),
  'scheduled-call-deleted': unreached('canceled'),
  'call-deleted': unreached('canceled'),
  'manually-canceled': talked('canceled'),
};

/**
 * Why no phone rang, if neither the called number nor the request is at fault: the call waits. `met`: whose other calls
 * meet the same error now, those of the account or of the calling number. A fraud check and the ban of international
 * calls may concern only one destination.
 */
type NotDialed = { isFault: boolean; met?: 'account' | 'number' };

const startErrors: Readonly<Record<string, NotDialed>> = {
  'subscription-concurrency-limit-reached': { isFault: false, met: 'account' },
  'subscription-insufficient-credits': { isFault: true, met: 'account' },
  'subscription-frozen': { isFault: true, met: 'account' },
  'subscription-wallet-does-not-exist': { isFault: true, met: 'account' },
  'subscription-upgrade-failed': { isFault: true, met: 'account' },
  'vapi-number-outbound-daily-limit': { isFault: true, met: 'number' },
  'get-phone-number': { isFault: true, met: 'number' },
  'vapi-number-international': { isFault: true },
  'get-transport': { isFault: true },
  'get-resources-validation': { isFault: true },
  'fraud-check-failed': { isFault: true },
  'enterprise-feature-not-available-recording-consent': { isFault: true },
  'vapifault-get-org': { isFault: false },
  'vapifault-get-subscription': { isFault: false },
  'vapifault-database-error': { isFault: false },
};

const START_ERROR = 'call.start.error-';

function notDialed(reason = ''): NotDialed | undefined {
  const name = reason.startsWith(START_ERROR) ? reason.slice(START_ERROR.length) : '';
  return Object.hasOwn(startErrors, name) ? startErrors[name] : undefined;
}

const prefixes: readonly (readonly [string, Meaning])[] = [
  ['call.start.', unreached('failed')],
  ['call-start-error-', unreached('failed')],
  ['call.in-progress.error-providerfault-outbound-sip-', unreached('failed')],
  ['call.in-progress.error-warm-transfer-', talked('completed')],
];

/** @param reason Vapi's endedReason. An unknown one means a failure during the call. */
export function meaningOf(reason: string | undefined): Meaning {
  if (reason === undefined) return talked('failed');
  if (notDialed(reason)) return unreached('not_dialed');
  if (Object.hasOwn(exact, reason)) return exact[reason] as Meaning;
  return prefixes.find(([prefix]) => reason.startsWith(prefix))?.[1] ?? talked('failed');
}

export const refusesAccount = (reason: string | undefined): boolean => notDialed(reason)?.met === 'account';

/** Returns whether every other call of the same calling number would meet the reason now. */
export const refusesNumber = (reason: string | undefined): boolean => notDialed(reason)?.met === 'number';

/** Returns whether an operator has to act: the account's credit, standing or limits, or our configuration. */
export const isAccountFault = (reason: string | undefined): boolean => notDialed(reason)?.isFault ?? false;
