import type { Command } from 'commander';
import { CsvError, parse } from 'csv-parse/sync';
import { toE164 } from '../../shared/domain/text/national-number.ts';
import type { Cloud } from './cloud.ts';
import { type Answer, acting, verb } from './command.ts';
import { Refusal } from './failures.ts';
import { findOrg } from './org.ts';
import { table } from './output.ts';
import { fileContent, invalid } from './values.ts';

const MOST_NUMBERS = 200_000;
const LINES_NAMED = 5;
/** What a column of numbers may be called, in small letters. */
const columns = ['phone', 'number', 'mobile', 'phone_number', 'phone number'];

type OfOrg = { org: string };
type OfNumber = OfOrg & { phone: string };

/** The do-not-call lists: numbers that nobody calls for an org. */
export function addDnc(program: Command): void {
  const noun = program.command('dnc').description('do-not-call lists: numbers that nobody calls for an org');
  ofNumber(verb(noun, 'add', 'nobody calls the number from now on')).action(acting<OfNumber>(add));
  ofNumber(verb(noun, 'remove', 'the number may be called again')).action(acting<OfNumber>(remove));
  ofOrg(verb(noun, 'list', 'the numbers that nobody calls')).action(acting<OfOrg>(list));
  ofOrg(verb(noun, 'import', 'adds the numbers of a CSV file: all of them or none'))
    .requiredOption(
      '--file <path>',
      `up to ${MOST_NUMBERS} numbers in the column ${columns.join(', ')}, or without such a header in the first column`,
    )
    .action(acting<OfOrg & { file: string }>(importFile));
}

const ofOrg = (command: Command): Command => command.requiredOption('--org <id>', 'the org');
const ofNumber = (command: Command): Command =>
  ofOrg(command).requiredOption(
    '--phone <number>',
    "in any usual form; without country code it is of the org's region",
  );

/** @throws Refusal invalid_value. */
async function readNumber(cloud: Cloud, { org, phone }: OfNumber): Promise<{ org_id: string; phone: string }> {
  const { org_id, default_region } = await findOrg(cloud, org);
  const number = toE164(phone.trim(), default_region);
  if (!number) throw invalid(`--phone must be a phone number of ${default_region} or begin with +, not "${phone}".`);
  return { org_id, phone: number };
}

async function add(cloud: Cloud, flags: OfNumber): Promise<Answer> {
  const { org_id, phone } = await readNumber(cloud, flags);
  const added_at = cloud.now().toISOString();
  await cloud.doNotCall.add({ org_id, phone, added_at });
  return { json: { phone, added_at }, people: `${phone} is on the list: nobody calls it for ${org_id} from now on.` };
}

async function remove(cloud: Cloud, flags: OfNumber): Promise<Answer> {
  const { org_id, phone } = await readNumber(cloud, flags);
  if (!(await cloud.doNotCall.remove(org_id, phone)))
    throw new Refusal('not_on_the_list', `${phone} is not on the do-not-call list of ${org_id}.`);
  return { json: { phone }, people: `${phone} is off the list: it may be called for ${org_id} again.` };
}

async function list(cloud: Cloud, { org }: OfOrg): Promise<Answer> {
  const { org_id } = await findOrg(cloud, org);
  const entries = await cloud.doNotCall.listOfOrg(org_id);
  const numbers = entries.map(({ phone, added_at, call_id = null }) => ({ phone, added_at, call_id }));
  const rows = numbers.map(({ phone, added_at, call_id }) => [phone, added_at, call_id]);
  return { json: { numbers }, people: table(['phone', 'added_at', 'asked in call'], rows, 'The list is empty.') };
}

async function importFile(cloud: Cloud, { org, file }: OfOrg & { file: string }): Promise<Answer> {
  const source = `--file ${file}`;
  const rows = readRows(source, await fileContent('--file', file));
  const { org_id, default_region } = await findOrg(cloud, org);
  const phones = readNumbers(source, rows, default_region);
  const added_at = cloud.now().toISOString();
  await cloud.doNotCall.addMany(phones.map((phone) => ({ org_id, phone, added_at })));
  return {
    json: { added: phones.length },
    people: `${phones.length} numbers of the file are on the list: nobody calls them for ${org_id} from now on.`,
  };
}

type Row = { record: string[]; info: { lines: number } };

/** @returns the rows that are not blank, with their line numbers; bounded, so that a wrong file does no harm. */
function readRows(source: string, content: Buffer): Row[] {
  try {
    return parse(content, {
      bom: true,
      info: true,
      trim: true,
      relax_quotes: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      // Told, because files that were put together of several mix them.
      record_delimiter: ['\r\n', '\n', '\r'],
      to: MOST_NUMBERS + 2,
    }) as unknown as Row[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalid(`${source} is not CSV at line ${error.lines}; nothing was added.`);
  }
}

/** @returns each number once, in E.164. @throws Refusal naming lines, not what is in them: it may be about people. */
function readNumbers(source: string, rows: readonly Row[], region: string): string[] {
  const head = rows[0]?.record.map((name) => name.toLowerCase()) ?? [];
  const named = head.flatMap((name, index) => (columns.includes(name) ? [index] : []));
  if (named.length > 1)
    throw invalid(
      `${source} has several columns of numbers (${named.map((index) => head[index]).join(', ')}): keep one.`,
    );
  const numberRows = named.length === 0 ? rows : rows.slice(1);
  if (numberRows.length > MOST_NUMBERS)
    throw invalid(`${source} has more than ${MOST_NUMBERS} numbers; nothing was added: split it.`);

  const column = named[0] ?? 0;
  const phones = new Set<string>();
  const wrong: number[] = [];
  for (const { record, info } of numberRows) {
    const phone = toE164(record[column] ?? '', region);
    if (phone) phones.add(phone);
    else wrong.push(info.lines);
  }
  if (wrong.length > 0) {
    const lines = wrong.slice(0, LINES_NAMED).join(', ');
    const more = wrong.length > LINES_NAMED ? ` and ${wrong.length - LINES_NAMED} more` : '';
    throw invalid(`${source}: no phone number in line ${lines}${more}; nothing was added.`);
  }
  return [...phones];
}
