import type { Answer } from '../../kit/answer.ts';
import type { CrmBState } from '../state.ts';
import { parseTime } from '../times.ts';
import { jsonObject } from './body.ts';
import type { Handler } from './caller.ts';
import { type Condition, type Criterion, limitExceeded, parseCoql, type Query, type Value } from './coql-parse.ts';
import { flat } from './problems.ts';
import { leadRecord } from './records.ts';

type Row = Record<string, unknown>;

/** The vendor's Query_Exception (Zoho CRM OpenAPI v8.0, coql.json). */
const invalidQuery = (reason: string, column: string, more = {}) =>
  flat(400, 'INVALID_QUERY', 'invalid query formed', { reason, column_name: column, module: 'Leads', ...more });

const personTypes = ['ownerlookup'];
const personParts = ['id', 'first_name', 'last_name', 'email'];
/** The largest sum of limit and offset. Beyond it, a client pages by id or time. */
const maxReach = 100_000;

export const runCoql: Handler = (state, caller): Answer => {
  const { select_query: text } = jsonObject(caller.text);
  if (typeof text !== 'string')
    throw flat(400, 'MANDATORY_NOT_FOUND', 'required field not found', {
      api_name: 'select_query',
      json_path: '$.select_query',
    });
  const query = parseCoql(text);
  if (query.module !== 'Leads')
    throw flat(400, 'INVALID_QUERY', 'invalid query formed', { reason: 'module', module: query.module });
  if (query.limit > state.settings.coqlLimit) throw limitExceeded('limit', state.settings.coqlLimit);
  if (query.limit + query.offset > maxReach) throw limitExceeded('limit and offset', maxReach);
  for (const column of [...query.columns, ...query.orderBy.map((each) => each.column)]) checkColumn(state, column);
  checkCondition(state, query.where);
  const rows = [...state.leads.values()]
    .filter(({ org }) => org === caller.user.org)
    .map((lead) => leadRecord(state, lead))
    .filter((row) => holds(state, query.where, row))
    .sort((one, other) => compareRows(state, query, one, other));
  const part = rows.slice(query.offset, query.offset + query.limit);
  if (part.length === 0) return { status: 204 };
  const data = part.map((row) => ({
    ...Object.fromEntries(query.columns.map((column) => [column, shown(row, column)])),
    id: row.id,
  }));
  const info = { count: part.length, more_records: rows.length > query.offset + part.length };
  return { status: 200, json: { data, info } };
};

/** Returns the credits of a query: one up to 200 rows, two up to 1000, three above. */
export function coqlCredits(text: string): number {
  try {
    const { limit } = parseCoql(String(jsonObject(text).select_query));
    return limit <= 200 ? 1 : limit <= 1000 ? 2 : 3;
  } catch {
    return 1;
  }
}

function checkColumn(state: CrmBState, column: string): string {
  const [name = '', part] = column.split('.');
  const type = state.fields.typeOf(name);
  if (!type || (part !== undefined && !(personTypes.includes(type) && personParts.includes(part))))
    throw invalidQuery('column given seems to be invalid', column);
  return part === undefined ? type : 'text';
}

function checkCondition(state: CrmBState, condition: Condition): void {
  if ('joint' in condition) {
    for (const part of condition.parts) checkCondition(state, part);
    return;
  }
  const { column, values, operator } = condition;
  const type = checkColumn(state, column);
  if (type === 'textarea') throw invalidQuery('data type not supported', column, { data_type: type });
  if (operator === 'like' && !['text', 'email', 'phone', 'picklist', 'website'].includes(type))
    throw invalidQuery('data type not supported', column, { operator, data_type: type });
  for (const value of values)
    if (!fits(type, value))
      throw invalidQuery('value given seems to be invalid for the column', column, { expected_data_type: type });
}

function fits(type: string, { text, kind }: Value): boolean {
  switch (type) {
    case 'datetime':
      return kind === 'string' && parseTime(text) !== undefined;
    case 'bigint':
    case 'ownerlookup':
      return /^\d+$/.test(text);
    case 'integer':
    case 'currency':
      return !Number.isNaN(Number(text));
    case 'boolean':
      return /^(true|false)$/i.test(text);
    default:
      return true;
  }
}

function holds(state: CrmBState, condition: Condition, row: Row): boolean {
  if (!('joint' in condition)) return matches(state, condition, row);
  const [first, second] = condition.parts;
  return condition.joint === 'and'
    ? holds(state, first, row) && holds(state, second, row)
    : holds(state, first, row) || holds(state, second, row);
}

function matches(state: CrmBState, { column, operator, values, negated }: Criterion, row: Row): boolean {
  const type = checkColumn(state, column);
  const value = comparable(type, cell(row, column));
  if (operator === 'null') return (value === null) !== negated;
  if (value === null) return false;
  const [first, second] = values.map(({ text }) => comparable(type, text));
  switch (operator) {
    case '=':
      return value === first;
    case '!=':
      return value !== first;
    case 'in':
      return values.some(({ text }) => comparable(type, text) === value) !== negated;
    case 'like':
      return likePattern(values[0]?.text ?? '').test(String(value)) !== negated;
    case 'between':
      return (compare(value, first) >= 0 && compare(value, second) <= 0) !== negated;
    default: {
      const order = compare(value, first);
      return operator.startsWith('<')
        ? order < 0 || (order === 0 && operator === '<=')
        : order > 0 || (order === 0 && operator === '>=');
    }
  }
}

type Comparable = string | number | bigint | boolean | null;

function comparable(type: string, value: unknown): Comparable {
  if (value === null || value === undefined || value === '') return null;
  switch (type) {
    case 'datetime':
      return Date.parse(String(value));
    case 'bigint':
      return BigInt(String(value));
    case 'integer':
    case 'currency':
      return Number(value);
    case 'boolean':
      return String(value).toLowerCase() === 'true';
    default:
      return String(value);
  }
}

function compare(one: Comparable | undefined, other: Comparable | undefined): number {
  if (one === other) return 0;
  if (one === null || one === undefined) return -1;
  if (other === null || other === undefined) return 1;
  return one < other ? -1 : 1;
}

/** Returns the value of a column. A person counts as the id unless the column names a part. */
function cell(row: Row, column: string): unknown {
  const [name = '', part] = column.split('.');
  const value = row[name];
  if (typeof value !== 'object' || value === null) return value;
  const person = value as { id: string; name: string; email: string };
  const [firstName, ...lastNames] = person.name.split(' ');
  const parts: Record<string, unknown> = { ...person, first_name: firstName, last_name: lastNames.join(' ') };
  return parts[part ?? 'id'];
}

function shown(row: Row, column: string): unknown {
  const value = row[column];
  if (typeof value === 'object' && value !== null) return { id: cell(row, column) };
  return cell(row, column) ?? null;
}

function likePattern(text: string): RegExp {
  return new RegExp(`^${text.split('%').map(RegExp.escape).join('[\\s\\S]*')}$`);
}

/** Compares rows by the columns of the query, then by id. */
function compareRows(state: CrmBState, { orderBy }: Query, one: Row, other: Row): number {
  for (const { column, descending } of [...orderBy, { column: 'id', descending: false }]) {
    const type = checkColumn(state, column);
    const order = compare(comparable(type, cell(one, column)), comparable(type, cell(other, column)));
    if (order !== 0) return descending ? -order : order;
  }
  return 0;
}
