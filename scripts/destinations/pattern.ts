/** A state of an automaton: its empty transitions, and its transitions by the digits of a mask. */
type State = { empty: number[]; digits: { mask: number; to: number }[] };

/** A compiled pattern: a number matches if it leads from `start` to `end`. */
export type Pattern = { start: number; end: number };

const ALL_DIGITS = 0b11_1111_1111;

/**
 * Compiles the regular expressions of libphonenumber's metadata into one nondeterministic automaton. They consist of
 * digits, `\d`, sets, groups, alternatives, `?`, `{n}` and `{n,m}`.
 */
export class Patterns {
  readonly #states: State[] = [];

  #add = (): number => this.#states.push({ empty: [], digits: [] }) - 1;
  #at = (state: number): State => this.#states[state] as State;

  /** Compiles an expression. @throws Error if it uses other syntax */
  compile(source: string): Pattern {
    let at = 0;
    const alternatives = (): Pattern => {
      const start = this.#add();
      const end = this.#add();
      for (;;) {
        const one = sequence();
        this.#at(start).empty.push(one.start);
        this.#at(one.end).empty.push(end);
        if (source[at] !== '|') return { start, end };
        at += 1;
      }
    };
    const sequence = (): Pattern => {
      const start = this.#add();
      let end = start;
      while (at < source.length && source[at] !== '|' && source[at] !== ')') end = repeated(end);
      return { start, end };
    };
    /** Appends the next part as many times as its quantifier says. */
    const repeated = (from: number): number => {
      const begins = at;
      const first = single();
      const quantifier = /^(?:(\?)|\{(\d+)(?:,(\d+))?\})/.exec(source.slice(at));
      const [text = '', optional, fewest, most = fewest] = quantifier ?? [];
      const after = at + text.length;
      const least = optional ? 0 : Number(fewest ?? 1);
      const ends = least === 0 ? [from] : [];
      let last = from;
      for (let count = 1; count <= Number(most ?? 1); count += 1) {
        at = begins;
        const one = count === 1 ? first : single();
        this.#at(last).empty.push(one.start);
        last = one.end;
        if (count >= least) ends.push(last);
      }
      at = after;
      const end = this.#add();
      for (const state of ends) this.#at(state).empty.push(end);
      return end;
    };
    const single = (): Pattern => {
      const group = /^\((?:\?:)?/.exec(source.slice(at))?.[0];
      if (group) {
        at += group.length;
        const inside = alternatives();
        if (source[at] !== ')') throw unsupported(source);
        at += 1;
        return inside;
      }
      const [text, set] = /^(?:\d|\\d|\[((?:\\d|\d(?:-\d)?)+)\])/.exec(source.slice(at)) ?? [];
      if (text === undefined) throw unsupported(source);
      at += text.length;
      const start = this.#add();
      const end = this.#add();
      this.#at(start).digits.push({ mask: maskOf(set ?? text), to: end });
      return { start, end };
    };
    const pattern = alternatives();
    if (at !== source.length) throw unsupported(source);
    return pattern;
  }

  /** Compiles an expression that need only match the beginning of a number. */
  compileBeginning(source: string): Pattern {
    const pattern = this.compile(source);
    this.#at(pattern.end).digits.push({ mask: ALL_DIGITS, to: pattern.end });
    return pattern;
  }

  /** Returns the states that these reach without a digit (their epsilon closure), in ascending order. */
  reach(states: Iterable<number>): number[] {
    const reached = new Set<number>();
    const open = [...states];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (reached.has(state)) continue;
      reached.add(state);
      open.push(...this.#at(state).empty);
    }
    return [...reached].sort((one, other) => one - other);
  }

  /** Returns the states that these reach by a digit, in ascending order. */
  follow(states: readonly number[], digit: number): number[] {
    const next = new Set<number>();
    for (const state of states)
      for (const { mask, to } of this.#at(state).digits) if ((mask >> digit) & 1) next.add(to);
    return this.reach(next);
  }
}

/** Returns the mask of a set of digits. @param set such as `7`, `\d` or `0-35\d`. */
function maskOf(set: string): number {
  let mask = 0;
  for (const [part, first, last = first] of set.matchAll(/\\d|(\d)(?:-(\d))?/g)) {
    if (part === '\\d') return ALL_DIGITS;
    for (let digit = Number(first); digit <= Number(last); digit += 1) mask |= 1 << digit;
  }
  return mask;
}

const unsupported = (source: string): Error => new Error(`the pattern ${source} is of an unknown kind`);
