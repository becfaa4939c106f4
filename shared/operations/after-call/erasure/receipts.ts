import type { ErasedRecord } from '../../../domain/after-call/erasure/erased-record.ts';
import {
  type CallOfReceipt,
  type CallReceipt,
  type ErasureReceipt,
  signReceipt,
} from '../../../domain/after-call/erasure/erasure-receipt.ts';
import { CLAIM_DAYS } from '../../../domain/calls/dialing/claim.ts';
import { QUEUED_DAYS } from '../../../domain/calls/dialing/day-claims.ts';
import { SUNDAY_INTERVAL_SECONDS } from '../../../domain/calls/dialing/sunday-interval.ts';
import type { Tombstone } from '../../../domain/calls/retention/erased-call.ts';
import { type Actor, actorName } from '../../../domain/organizations/audit/audit-entry.ts';
import { secondsAfter } from '../../../domain/time/instants.ts';
import type { PlatformErasure } from './erase-platform.ts';

export type ReceiptDeps = {
  now: () => Date;
  /** The key that makes pseudonyms and signs receipts. */
  personKey: string;
};

type ErasedCall = {
  tombstone: Tombstone;
  records: readonly ErasedRecord[];
  platform: PlatformErasure;
};

type ErasedPerson = Pick<ErasureReceipt, 'person' | 'activity' | 'do_not_call'> & {
  erased: readonly ErasedCall[];
  /** The number of claims on the leads that calls to other numbers hold. */
  claimsOfOthers: number;
};

const DAY_SECONDS = 86_400;
const BACKUP_SECONDS = 35 * DAY_SECONDS;
/** The longest time that a message is stored, as a dead letter. A redrive sends it as a new message. */
const MESSAGE_DAYS = 7;

/** Signs the result of a person's erasure. */
export function personReceipt(
  deps: ReceiptDeps,
  actor: Actor,
  org_id: string,
  { erased, claimsOfOthers, ...rest }: ErasedPerson,
): ErasureReceipt {
  const { remains, ...common } = commonOf(deps, actor, org_id, erased);
  return signReceipt(deps.personKey, {
    ...common,
    ...rest,
    remains: [
      ...remains,
      `claims of the Sunday sweep of the last ${SUNDAY_INTERVAL_SECONDS / 3_600} hours, as keyed hashes, until these end`,
      `claims on the person's leads, as keyed hashes, for ${QUEUED_DAYS} days after their day`,
      `claims on leads that no stored call and no Activity of the number names, with the lead's id in the CRM, for ${CLAIM_DAYS} days`,
      ...(claimsOfOthers > 0
        ? ["claims on the person's leads that calls to other numbers hold, with the lead's id in the CRM"]
        : []),
      // The index by number lags.
      'calls that were placed during the run, or in the seconds before it',
      "calls and Activity of the person's lead events that were being processed, that wait on queues or as dead letters, or that the CRM sends later",
      'the number in data of calls to other numbers, such as the fields of a lead with two numbers',
      'data of calls that their retention had removed, at the voice platform, in CRM-B and the help desk: call erase reaches it by the id of a call',
    ],
  });
}

/** Signs the result of a single call's erasure. */
export function callReceipt(deps: ReceiptDeps, actor: Actor, erased: ErasedCall): CallReceipt {
  const { remains, ...common } = commonOf(deps, actor, erased.tombstone.erased_of, [erased]);
  return signReceipt(deps.personKey, {
    kind: 'call' as const,
    ...common,
    remains: [
      ...remains,
      "Activity of other events of the call's lead, with its data, until it expires: person erase reduces it",
      `claims on the call's lead, if it has one, with its id in the CRM, for ${CLAIM_DAYS} days`,
      'the number on the do-not-call list, if it is listed',
      ...(erased.tombstone.removed_at === undefined
        ? []
        : ['Activity of a call that its retention had removed, with a masked number, until it expires']),
    ],
  });
}

const calls = (number: number): string => (number === 1 ? '1 call' : `${number} calls`);

function commonOf(deps: ReceiptDeps, actor: Actor, org_id: string, erased: readonly ErasedCall[]) {
  const now = deps.now();
  return {
    org_id,
    done_at: now.toISOString(),
    done_by: actorName(actor),
    calls: erased.map(callOf),
    remains: remainsOf(now, erased),
  };
}

function callOf({ tombstone, records, platform }: ErasedCall): CallOfReceipt {
  const { call_id, erased_at, found } = tombstone;
  return { call_id, erased_at, found, records: [...records], platform: platform.kind };
}

/**
 * Returns whether the help desk may have a contact that the call does not name: the answer to its creation may have
 * been lost, and former versions forgot contacts in former organizations of the help desk.
 */
const mayHaveContact = ({ tombstone: { found } }: ErasedCall): boolean =>
  found.remote_records.some(({ system }) => system === 'help-desk') ||
  (found.unconfirmed ?? []).some((record) => record.startsWith('ticket'));

function remainsOf(now: Date, erased: readonly ErasedCall[]): string[] {
  const outcomes = new Set(erased.flatMap(({ records }) => records.map(({ outcome }) => outcome)));
  const left = erased.filter(({ platform }) => platform.kind === 'left').length;
  const absent = erased.filter(({ platform }) => platform.kind === 'absent').length;
  const unconfirmed = erased.filter(({ tombstone }) => tombstone.found.unconfirmed !== undefined).length;
  return [
    ...(left > 0 ? [`data of ${calls(left)} at the voice platform, which did not confirm its deletion`] : []),
    ...(absent > 0
      ? [
          `data of ${calls(absent)} at the voice platform, if another account than the present one has it: the present one does not know the call`,
        ]
      : []),
    ...(unconfirmed > 0
      ? [
          `records, and data at the voice platform, that may exist although no answer named them: see "unconfirmed" of ${calls(unconfirmed)}`,
        ]
      : []),
    `backups of the tables, until ${secondsAfter(now, BACKUP_SECONDS)}`,
    'tables that a restore has replaced, until an operator deletes them',
    `messages on queues and dead letters, until ${secondsAfter(now, MESSAGE_DAYS * DAY_SECONDS)}; dead letters that are redriven, ${MESSAGE_DAYS} days longer each time`,
    'entries of the ledger, without the person: ids of calls, and amounts',
    'masked numbers, and the reasons that members typed, in the audit log, for 400 days',
    'claims of today, as keyed hashes, until midnight in India',
    ...(outcomes.has('kept') || outcomes.has('left')
      ? ['the records in CRM-B and the help desk that are kept or left']
      : []),
    ...(erased.some(mayHaveContact)
      ? ['contacts of the person at the help desk, also those that no stored call names']
      : []),
    ...(outcomes.has('removed') || outcomes.has('absent')
      ? ['records that are removed or absent, in the trash of CRM-B and the help desk, until it is emptied']
      : []),
  ];
}
