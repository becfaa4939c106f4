import { toE164 } from '../../../../shared/domain/text/national-number.ts';
import { erasePerson } from '../../../../shared/operations/after-call/erasure/erase-person.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findOrg } from '../../cloud/records.ts';
import { erasureOf } from '../../erasure.ts';
import { Refusal } from '../../failures.ts';
import { facts, paragraphs } from '../../output.ts';
import { personKey } from '../../person-key.ts';
import { recordsNotErased, showRecords } from '../../records-shown.ts';
import { invalid } from '../../values.ts';
import { type Answer, type Noun, type OfOrg, orgOption, required, verb } from '../../verb.ts';
import { exportTo } from './export.ts';

type OfPerson = OfOrg & { phone: string };

const phoneOption = required(
  '--phone <number>',
  "phone number in any usual form; without a country code, a number of the organization's region",
);

export const person: Noun = {
  name: 'person',
  summary: 'Data of called people',
  verbs: [
    verb<OfPerson>({
      usage: 'erase',
      summary: 'Erases all calls of a phone number and its Activity for good, and shows a signed receipt',
      options: [orgOption, phoneOption],
      act: erase,
    }),
    verb<OfPerson & { folder: string }>({
      usage: 'export',
      summary: 'Writes all data about a phone number, with its recordings, into a new folder',
      options: [orgOption, phoneOption, required('--folder <path>', 'folder to create')],
      act: async (cloud, { folder, ...flags }) => exportTo(cloud, folder, await readPerson(cloud, flags)),
    }),
  ],
};

/** @throws Refusal invalid_value. */
async function readPerson(cloud: Cloud, { org, phone }: OfPerson): Promise<{ org_id: string; phone: string }> {
  const { org_id, default_region } = await findOrg(cloud, org);
  const number = toE164(phone.trim(), default_region);
  if (!number) throw invalid(`--phone must be a phone number of ${default_region}, or begin with +, not "${phone}".`);
  return { org_id, phone: number };
}

async function erase(cloud: Cloud, flags: OfPerson): Promise<Answer> {
  const of = await readPerson(cloud, flags);
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
