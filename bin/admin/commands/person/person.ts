import { erasePerson } from '../../../../shared/operations/after-call/erasure/erase-person.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findNumber } from '../../cloud/records.ts';
import { erasureOf } from '../../erasure.ts';
import { Refusal } from '../../failures.ts';
import { facts, paragraphs } from '../../output.ts';
import { personKey } from '../../person-key.ts';
import { recordsNotErased, showRecords } from '../../records-shown.ts';
import { type Answer, type Noun, type OfNumber, orgOption, phoneOption, required, verb } from '../../verb.ts';
import { exportTo } from './export.ts';

export const person: Noun = {
  name: 'person',
  summary: 'Data of called people',
  verbs: [
    verb<OfNumber>({
      usage: 'erase',
      summary: 'Erases all calls of a phone number and its Activity for good, and shows a signed receipt',
      options: [orgOption, phoneOption],
      act: erase,
    }),
    verb<OfNumber & { folder: string }>({
      usage: 'export',
      summary: 'Writes all data about a phone number, with its recordings, into a new folder',
      options: [orgOption, phoneOption, required('--folder <path>', 'folder to create')],
      act: async (cloud, { folder, ...flags }) => exportTo(cloud, folder, await findNumber(cloud, flags)),
    }),
  ],
};

async function erase(cloud: Cloud, flags: OfNumber): Promise<Answer> {
  const of = await findNumber(cloud, flags);
  const deps = { ...(await erasureOf(cloud)), personKey: await personKey(cloud) };
  const erased = await erasePerson(deps, await cloud.operator(), of);
  if (erased.kind === 'live')
    throw new Refusal(
      'call_is_live',
      `A call of this number is being dialed or is live: end it with call hangup, then run the command again.`,
      { call_ids: erased.call_ids },
    );
  const { receipt, platform_left, records_left } = erased;
  if (platform_left.length > 0)
    throw new Refusal(
      'platform_not_erased',
      `All data was erased here, but the voice platform may still have data of ${platform_left.length} calls: run the command again.`,
      { call_ids: platform_left, receipt },
    );
  if (records_left.length > 0) throw recordsNotErased('All data was erased here', records_left, { receipt });
  const { calls, ...rest } = receipt;
  const people = paragraphs(
    `The ${calls.length} calls of the number were erased. Keep the receipt: --json prints it as it is signed.`,
    facts({ ...rest, calls: calls.map(({ call_id }) => call_id) }),
    showRecords(calls.flatMap(({ records = [] }) => records)),
  );
  return { json: receipt, people };
}
