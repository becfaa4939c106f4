import { eraseCall } from '../../../../shared/operations/after-call/erasure/erase-call.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { callNotFound } from '../../cloud/records.ts';
import { erasureOf } from '../../erasure.ts';
import { Refusal } from '../../failures.ts';
import { facts, paragraphs } from '../../output.ts';
import { recordsNotErased, showRecords } from '../../records-shown.ts';
import type { Answer } from '../../verb.ts';
import type { OfCall } from './end.ts';

export async function erase(cloud: Cloud, { call: callId }: OfCall): Promise<Answer> {
  const erased = await eraseCall(await erasureOf(cloud), await cloud.operator(), callId);
  if (erased.kind === 'call_not_found') throw callNotFound(callId);
  if (erased.kind === 'live')
    throw new Refusal('call_is_live', 'The call is being dialed or is live: end it with call hangup, then erase it.');
  const { call_id, erased_at, erasure_done_at = null, found } = erased.tombstone;
  const { records } = erased;
  if (erased.platform_left !== undefined)
    throw new Refusal(
      'platform_not_erased',
      `The call was erased here, but the voice platform may still have its data (${erased.platform_left}): run the command again.`,
      { call_id, erased_at, found, records },
    );
  const left = records.filter(({ outcome }) => outcome === 'left');
  if (left.length > 0)
    throw recordsNotErased(
      'The call was erased here',
      left.map(({ system, record, reason }) => `${system} ${record}: ${reason}`),
      { call_id, erased_at, found, records },
    );
  const json = { call_id, erased_at, erasure_done_at, found, records };
  const shown = facts({ ...json, ...found, found: undefined, remote_records: undefined, records: undefined });
  return { json, people: paragraphs('The call was erased.', shown, showRecords(records)) };
}
