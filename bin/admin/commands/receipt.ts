import { parseDocument } from 'yaml';
import { isGenuineReceipt, receiptSchema } from '../../../shared/domain/after-call/erasure/erasure-receipt.ts';
import type { Cloud } from '../cloud/cloud.ts';
import { Refusal } from '../failures.ts';
import { fileContent } from '../input.ts';
import { paragraphs } from '../output.ts';
import { personKey } from '../person-key.ts';
import { invalid, json } from '../values.ts';
import { type Answer, type Noun, required, verb } from '../verb.ts';

export const receipt: Noun = {
  name: 'receipt',
  summary: 'Receipts of erasures',
  verbs: [
    verb<{ file: string }>({
      usage: 'verify',
      summary: 'Checks that this stage signed a receipt, and that it was not changed since',
      options: [required('--file <path>', 'the JSON of person erase --json or call erase --json')],
      act: verify,
    }),
  ],
};

async function verify(cloud: Cloud, { file }: { file: string }): Promise<Answer> {
  const source = `--file ${file}`;
  const text = (await fileContent('--file', file)).toString('utf8');
  const content = json(source, text);
  // JSON.parse keeps the last of two members with the same name, but a person may read the first. The YAML parser finds
  // such members, because YAML includes JSON and forbids duplicate keys. It takes a lone carriage return, which JSON
  // allows between tokens, for a part of the next key; hence the line feeds.
  if (parseDocument(text.replaceAll('\r', '\n')).errors.some(({ code }) => code === 'DUPLICATE_KEY'))
    throw invalid(`${source} contains a member twice.`);
  const read = receiptIn(content);
  const parsed = receiptSchema.safeParse(read);
  if (!parsed.success) throw invalid(`${source} is not a receipt of an erasure.`);
  if (!isGenuineReceipt(await personKey(cloud), read as typeof parsed.data))
    throw new Refusal('not_genuine', 'The receipt was changed, or another stage signed it.');
  const { done_at, calls, remains } = parsed.data;
  const callsThat = (are: 'left' | 'absent') =>
    calls.filter(({ platform }) => platform === are).map(({ call_id }) => call_id);
  const [platform_left, platform_absent] = [callsThat('left'), callsThat('absent')];
  const of =
    'person' in parsed.data
      ? { kind: 'person' as const, person: parsed.data.person }
      : { kind: 'call' as const, call_id: calls.map(({ call_id }) => call_id).join() };
  const answer = { ...of, done_at, calls: calls.length, platform_left, platform_absent, remains };
  const people = paragraphs(
    `The receipt is genuine. Calls that were erased by ${done_at}: ${calls.length}.`,
    platform_left.length > 0
      ? `The voice platform may still have data of these calls: ${platform_left.join(', ')}.`
      : undefined,
    platform_absent.length > 0
      ? `The voice platform did not know these calls; another account may have their data: ${platform_absent.join(', ')}.`
      : undefined,
    `What remained then: ${remains.join('; ')}.`,
  );
  return { json: answer, people };
}

/** Takes the receipt out of an answer of `call erase`, or out of a refusal of `call erase` or `person erase`. */
const receiptIn = (content: unknown): unknown =>
  typeof content === 'object' && content !== null && 'receipt' in content ? content.receipt : content;
