import { erasureReceiptSchema, isGenuineReceipt } from '../../../shared/domain/after-call/erasure/erasure-receipt.ts';
import type { Cloud } from '../cloud/cloud.ts';
import { Refusal } from '../failures.ts';
import { personKey } from '../person-key.ts';
import { fileContent, invalid, json } from '../values.ts';
import { type Answer, type Noun, required, verb } from '../verb.ts';

export const receipt: Noun = {
  name: 'receipt',
  summary: 'Receipts of erasures',
  verbs: [
    verb<{ file: string }>({
      usage: 'verify',
      summary: 'Checks that this stage signed a receipt, and that it was not changed since',
      options: [required('--file <path>', 'the JSON of person erase --json')],
      act: verify,
    }),
  ],
};

async function verify(cloud: Cloud, { file }: { file: string }): Promise<Answer> {
  const source = `--file ${file}`;
  const parsed = erasureReceiptSchema.safeParse(json(source, (await fileContent('--file', file)).toString('utf8')));
  if (!parsed.success) throw invalid(`${source} is not a receipt of an erasure.`);
  const { person, done_at, calls } = parsed.data;
  if (!isGenuineReceipt(await personKey(cloud), parsed.data))
    throw new Refusal('not_genuine', 'The receipt was changed, or another stage signed it.');
  const answer = { person, done_at, calls: calls.length };
  return { json: answer, people: `The receipt is genuine: ${calls.length} calls were erased by ${done_at}.` };
}
