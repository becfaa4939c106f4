import { isErasedNumber } from '../../../../shared/domain/organizations/erased-number.ts';
import { numberColumns } from '../../../../shared/domain/text/number-columns.ts';
import { addNumbers } from '../../../../shared/operations/organizations/do-not-call/add-numbers.ts';
import { removeNumber } from '../../../../shared/operations/organizations/do-not-call/remove-number.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findNumber, findOrg } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { table } from '../../output.ts';
import {
  type Answer,
  type Noun,
  type OfNumber,
  type OfOrg,
  orgOption,
  phoneOption,
  required,
  verb,
} from '../../verb.ts';
import { MAX_NUMBERS, numbersOfFile } from './file.ts';

export const dnc: Noun = {
  name: 'dnc',
  summary: 'Do-not-call lists of organizations',
  verbs: [
    verb<OfNumber>({
      usage: 'add',
      summary: 'Adds a number: it is no longer called',
      options: [orgOption, phoneOption],
      act: add,
    }),
    verb<OfNumber>({
      usage: 'remove',
      summary: 'Removes a number: it may be called again',
      options: [orgOption, phoneOption],
      act: remove,
    }),
    verb<OfOrg>({ usage: 'list', summary: 'Lists the numbers', options: [orgOption], act: list }),
    verb<OfOrg & { file: string }>({
      usage: 'import',
      summary: 'Adds all numbers of a CSV file, or none if a line is wrong',
      options: [
        orgOption,
        required(
          '--file <path>',
          `CSV file of at most ${MAX_NUMBERS} numbers, in a column named ${numberColumns}, or else in the first column`,
        ),
      ],
      act: importFile,
    }),
  ],
};

async function add(cloud: Cloud, flags: OfNumber): Promise<Answer> {
  const { org_id, phone } = await findNumber(cloud, flags);
  const now = cloud.now();
  const deps = { ...cloud, now: () => now };
  const { listed } = await addNumbers(deps, await cloud.operator(), { org_id, phones: [phone] });
  const added_at = listed[0]?.added_at ?? now.toISOString();
  return { json: { phone, added_at }, people: `${phone} is on the do-not-call list of ${org_id}.` };
}

async function remove(cloud: Cloud, flags: OfNumber): Promise<Answer> {
  const { org_id, phone } = await findNumber(cloud, flags);
  const { kind } = await removeNumber(cloud, await cloud.operator(), { org_id, phone });
  if (kind === 'number_not_listed')
    throw new Refusal('not_on_the_list', `${phone} is not on the do-not-call list of ${org_id}.`);
  return { json: { phone }, people: `${phone} was removed from the do-not-call list of ${org_id}.` };
}

async function list(cloud: Cloud, { org }: OfOrg): Promise<Answer> {
  const { org_id } = await findOrg(cloud, org);
  const entries = await cloud.doNotCall.listOfOrg(org_id);
  const numbers = entries.map(({ phone, added_at, call_id = null, erased_at = null }) => ({
    phone: isErasedNumber(phone) ? null : phone,
    added_at,
    call_id,
    erased_at,
  }));
  const rows = numbers.map(({ phone, added_at, call_id }) => [phone ?? 'erased person', added_at, call_id]);
  return { json: { numbers }, people: table(['phone', 'added_at', 'requested in call'], rows, 'The list is empty.') };
}

async function importFile(cloud: Cloud, { org, file }: OfOrg & { file: string }): Promise<Answer> {
  const { org_id, default_region } = await findOrg(cloud, org);
  const phones = await numbersOfFile(file, default_region);
  const { added, listed } = await addNumbers(cloud, await cloud.operator(), { org_id, phones });
  return {
    json: { added, listed: listed.length },
    people:
      `The ${phones.length} numbers of the file are on the do-not-call list of ${org_id}: ` +
      `${added} were added, and ${listed.length} were on it before.`,
  };
}
