import { eraseCall } from '../../../../shared/operations/after-call/erasure/erase-call.ts';
import { callReceipt } from '../../../../shared/operations/after-call/erasure/receipts.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { callNotFound } from '../../cloud/records.ts';
import { erasureOf } from '../../erasure.ts';
import { Refusal } from '../../failures.ts';
import { facts, paragraphs } from '../../output.ts';
import { personKey } from '../../person-key.ts';
import { recordsNotErased, showRecords } from '../../records-shown.ts';
import type { Answer } from '../../verb.ts';
import type { OfCall } from './end.ts';

export async function erase(cloud: Cloud, { call: callId }: OfCall): Promise<Answer> {
  // First, so that a missing key leaves no erasure without a receipt.
  const deps = { ...(await erasureOf(cloud)), personKey: await personKey(cloud) };
  const actor = await cloud.operator();
  const erased = await eraseCall(deps, actor, callId);
  if (erased.kind === 'call_not_found') throw callNotFound(callId);
  if (erased.kind === 'live')
    throw new Refusal('call_is_live', 'The call is being dialed or is live: end it with call hangup, then erase it.');
  const { call_id, erased_at, erasure_done_at = null, found } = erased.tombstone;
  const { records, platform } = erased;
  const receipt = callReceipt(deps, actor, erased);
  if (platform.kind === 'left')
    throw new Refusal(
      'platform_not_erased',
      `The call was erased here, but the voice platform may still have its data (${platform.reason}): run the command again.`,
      { call_id, erased_at, found, records, receipt },
    );
  const left = records.filter(({ outcome }) => outcome === 'left');
  if (left.length > 0)
    throw recordsNotErased(
      'The call was erased here',
      left.map(({ system, record, reason }) => `${system} ${record}: ${reason}`),
      { call_id, erased_at, found, records, receipt },
    );
  const answer = { call_id, erased_at, erasure_done_at, found, records };
  const shown = facts({ ...answer, ...found, found: undefined, remote_records: undefined, records: undefined });
  const done = 'The call was erased. --json prints a signed receipt: keep it.';
  const unknown =
    platform.kind === 'absent'
      ? 'The voice platform does not know the call. If it belongs to another account, that account still has its data: delete it there.'
      : undefined;
  return { json: { ...answer, receipt }, people: paragraphs(done, unknown, shown, showRecords(records)) };
}
