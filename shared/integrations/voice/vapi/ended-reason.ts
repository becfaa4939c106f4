import type { EndReport } from '../../../domain/calls/platform-message.ts';

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
  // No phone rang, because the account lacks slots or credit, or has used up a number's day. Retried until dial_by.
  'call.start.error-subscription-concurrency-limit-reached': unreached('not_dialed'),
  'call.start.error-subscription-insufficient-credits': unreached('not_dialed'),
  'call.start.error-subscription-frozen': unreached('not_dialed'),
  'call.start.error-vapi-number-outbound-daily-limit': unreached('not_dialed'),
};

const prefixes: readonly (readonly [string, Meaning])[] = [
  ['call.start.', unreached('failed')],
  ['call-start-error-', unreached('failed')],
  ['call.in-progress.error-providerfault-outbound-sip-', unreached('failed')],
  ['call.in-progress.error-warm-transfer-', talked('completed')],
];

/** @param reason Vapi's endedReason. An unknown one means a failure during the call. */
export function meaningOf(reason: string | undefined): Meaning {
  if (reason === undefined) return talked('failed');
  if (Object.hasOwn(exact, reason)) return exact[reason] as Meaning;
  return prefixes.find(([prefix]) => reason.startsWith(prefix))?.[1] ?? talked('failed');
}

/** Reasons that every other call would meet now. The daily limit is one of a single calling number. */
const accountRefusals: ReadonlySet<string | undefined> = new Set([
  'call.start.error-subscription-concurrency-limit-reached',
  'call.start.error-subscription-insufficient-credits',
  'call.start.error-subscription-frozen',
]);

export const refusesAccount = (reason: string | undefined): boolean => accountRefusals.has(reason);

/** Whether every other call of the same calling number would meet the reason now. */
export const refusesNumber = (reason: string | undefined): boolean =>
  reason === 'call.start.error-vapi-number-outbound-daily-limit';

/** Endings by the account's credit, standing or limits, so that an operator has to act. */
const accountFaults: ReadonlySet<string | undefined> = new Set([
  'call.start.error-subscription-insufficient-credits',
  'call.start.error-subscription-frozen',
  'call.start.error-vapi-number-outbound-daily-limit',
]);

export const isAccountFault = (reason: string | undefined): boolean => accountFaults.has(reason);
