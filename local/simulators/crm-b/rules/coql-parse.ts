import { flat } from './problems.ts';

export type Value = { text: string; kind: 'string' | 'number' | 'word' };

export type Criterion = { column: string; operator: string; values: Value[]; negated: boolean };
export type Condition = Criterion | { joint: 'and' | 'or'; parts: [Condition, Condition] };
export type Query = {
  columns: string[];
  module: string;
  where: Condition;
  orderBy: { column: string; descending: boolean }[];
  limit: number;
  offset: number;
};

type Token = { text: string; kind: 'word' | 'quoted' | 'number' | 'sign'; at: number };

/** The place of an error has the form of Parse_Error_Details (Zoho CRM OpenAPI v8.0, coql.json). */
const syntaxError = (near: string, at: number) =>
  flat(400, 'SYNTAX_ERROR', 'error occurred while parsing the query', { line: 1, column: at + 1, near });
const missingClause = (clause: string) => flat(400, 'SYNTAX_ERROR', 'missing clause', { clause });
export const limitExceeded = (reason: string, limit: number) =>
  flat(400, 'LIMIT_EXCEEDED', 'invalid query formed', { reason, limit });

const tokenPattern =
  /\s*(?:(?<quoted>'(?:[^']|'')*'|"(?:[^"]|"")*")|(?<number>-?\d+(?:\.\d+)?(?![\w.]))|(?<word>[A-Za-z_$][\w$.]*)|(?<sign><=|>=|!=|<>|[=<>(),*]))/y;

function tokens(text: string): Token[] {
  const found: Token[] = [];
  tokenPattern.lastIndex = 0;
  for (let at = 0; text.slice(at).trim() !== ''; at = tokenPattern.lastIndex) {
    tokenPattern.lastIndex = at;
    const groups = tokenPattern.exec(text)?.groups;
    if (!groups) throw syntaxError(text.slice(at).trim().slice(0, 20), at);
    const [kind, token = ''] = Object.entries(groups).find(([, value]) => value !== undefined) ?? [];
    found.push({ kind: kind as Token['kind'], text: token, at });
  }
  return found;
}

/**
 * Parses CRM Object Query Language for one module, without joins, aliases and functions. An apostrophe within quotes is
 * doubled. More than two criteria must be grouped in pairs (Kaizen 171).
 */
export function parseCoql(text: string): Query {
  return new Parser(tokens(text), text).query();
}

class Parser {
  private readonly tokens: Token[];
  private readonly text: string;
  private next = 0;
  private criteria = 0;

  constructor(all: Token[], text: string) {
    this.tokens = all;
    this.text = text;
  }

  query(): Query {
    if (!this.take('select')) throw missingClause('select');
    const columns = [this.name()];
    while (this.take(',')) columns.push(this.name());
    if (columns.length > 50) throw limitExceeded('select columns', 50);
    if (!this.take('from')) throw this.ended() ? missingClause('from') : this.wrong();
    const module = this.name();
    if (!this.take('where'))
      throw this.ended() || this.is('limit', 'order', 'group') ? missingClause('where') : this.wrong();
    const where = this.condition();
    const orderBy = this.orderBy();
    const { limit, offset } = this.limits();
    if (!this.ended()) throw this.wrong();
    return { columns, module, where, orderBy, limit, offset };
  }

  private condition(): Condition {
    const first = this.operand();
    const joint = this.joint();
    if (!joint) return first;
    const condition: Condition = { joint, parts: [first, this.operand()] };
    // A third criterion on the same level is not grouped.
    if (this.is('and', 'or')) throw this.wrong();
    return condition;
  }

  private joint(): 'and' | 'or' | undefined {
    return this.take('and') ? 'and' : this.take('or') ? 'or' : undefined;
  }

  private operand(): Condition {
    if (!this.take('(')) return this.criterion();
    const inner = this.condition();
    this.need(')');
    return inner;
  }

  private criterion(): Criterion {
    this.criteria += 1;
    if (this.criteria > 25) throw limitExceeded('criteria', 25);
    const column = this.name();
    if (this.take('is')) {
      const negated = this.take('not');
      this.need('null');
      return { column, operator: 'null', values: [], negated };
    }
    const negated = this.take('not');
    if (this.take('in')) return { column, operator: 'in', values: this.list(), negated };
    if (this.take('like')) return { column, operator: 'like', values: [this.value()], negated };
    if (this.take('between')) {
      const low = this.value();
      this.need('and');
      return { column, operator: 'between', values: [low, this.value()], negated };
    }
    const sign = this.tokens[this.next];
    if (negated || sign?.kind !== 'sign' || !/^([=<>]|<=|>=|!=|<>)$/.test(sign.text)) throw this.wrong();
    this.next += 1;
    return { column, operator: sign.text === '<>' ? '!=' : sign.text, values: [this.value()], negated: false };
  }

  private list(): Value[] {
    this.need('(');
    const values = [this.value()];
    while (this.take(',')) values.push(this.value());
    this.need(')');
    if (values.length > 50) throw limitExceeded('values of in', 50);
    return values;
  }

  private orderBy(): Query['orderBy'] {
    if (!this.take('order')) return [];
    this.need('by');
    const order: Query['orderBy'] = [];
    do {
      const column = this.name();
      const descending = this.take('desc');
      if (!descending) this.take('asc');
      order.push({ column, descending });
    } while (this.take(','));
    if (order.length > 10) throw limitExceeded('fields of order by', 10);
    return order;
  }

  /** Reads `limit 200`, `limit 200 offset 400` or `limit 400, 200`, whose first number is the offset. */
  private limits(): { limit: number; offset: number } {
    if (!this.take('limit')) return { limit: 200, offset: 0 };
    const first = this.count();
    if (this.take(',')) return { limit: this.count(), offset: first };
    return { limit: first, offset: this.take('offset') ? this.count() : 0 };
  }

  private count(): number {
    const token = this.tokens[this.next];
    if (token?.kind !== 'number' || !/^\d+$/.test(token.text)) throw this.wrong();
    this.next += 1;
    return Number(token.text);
  }

  private value(): Value {
    const token = this.tokens[this.next];
    if (!token || token.kind === 'sign') throw this.wrong();
    this.next += 1;
    if (token.kind === 'quoted') return { text: unquoted(token.text), kind: 'string' };
    return { text: token.text, kind: token.kind };
  }

  /** Reads a column or module. Reserved words need quotes. */
  private name(): string {
    const token = this.tokens[this.next];
    if (!token || (token.kind !== 'word' && token.kind !== 'quoted')) throw this.wrong();
    if (
      token.kind === 'word' &&
      /^(select|from|where|and|or|not|in|like|between|is|null|order|by|limit|offset|group)$/i.test(token.text)
    )
      throw this.wrong();
    this.next += 1;
    return token.kind === 'quoted' ? unquoted(token.text) : token.text;
  }

  private is(...words: string[]): boolean {
    const token = this.tokens[this.next];
    return token !== undefined && token.kind !== 'quoted' && words.includes(token.text.toLowerCase());
  }

  private take(word: string): boolean {
    const found = this.is(word);
    if (found) this.next += 1;
    return found;
  }

  private need(word: string): void {
    if (!this.take(word)) throw this.wrong();
  }

  private ended(): boolean {
    return this.next >= this.tokens.length;
  }

  private wrong() {
    const token = this.tokens[this.next];
    return syntaxError(token?.text ?? this.text.trim().slice(-20), token?.at ?? this.text.length);
  }
}

const unquoted = (text: string) => text.slice(1, -1).replaceAll(text.charAt(0).repeat(2), text.charAt(0));
