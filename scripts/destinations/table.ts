import { brotliCompressSync, constants } from 'node:zlib';
import metadata from 'libphonenumber-js/metadata.max.json';
import { type Pattern, Patterns } from './pattern.ts';

/** The types of numbers in the order of the metadata. Only `ordinary` ones may be called. */
const types = [
  { name: 'fixed line', isOrdinary: true },
  { name: 'mobile', isOrdinary: true },
  { name: 'toll free', isOrdinary: true },
  { name: 'premium rate', isOrdinary: false },
  { name: 'personal', isOrdinary: false },
  { name: 'voicemail', isOrdinary: false },
  { name: 'universal access', isOrdinary: true },
  { name: 'pager', isOrdinary: false },
  { name: 'internet telephony', isOrdinary: true },
  { name: 'shared cost', isOrdinary: false },
] as const;

type TypePattern = { isOrdinary: boolean; pattern: Pattern; lengths: readonly number[] | undefined };
type Country = { code: string; general: Pattern; beginning: Pattern | undefined; types: TypePattern[] };

/** Positions in the metadata of a country (libphonenumber-js, METADATA.md). */
const GENERAL = 2;
const BEGINNING = 10;
const TYPES = 11;

/** A node of the automaton. `country` is the one whose ordinary number ends here. */
type Node = { country: string | undefined; next: readonly (Node | undefined)[]; id: number };

const LONGEST_NATIONAL = 17;
const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;

/**
 * Builds the table: the countries by the beginnings of their numbers, a line feed, and the smallest automaton that
 * accepts the ordinary numbers of all countries (docs/decisions/0028-where-calls-may-go.md). It omits numbers that
 * belong to no country, such as satellite phones.
 */
export function destinationTable(): { packed: string; plain: Buffer } {
  const roots = Object.entries(metadata.country_calling_codes).map(
    ([callingCode, countries]) => [callingCode, numbersOf(countries as string[])] as const,
  );
  const plain = Buffer.concat([Buffer.from(`${beginningsOf(roots)}\n`), bytesOf(roots)]);
  const packed = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } });
  return { packed: packed.toString('base64'), plain };
}

const reachable = new WeakMap<Node, ReadonlySet<string>>();

/** Returns the countries of the ordinary numbers that begin with the path to a node. */
function countriesBelow(node: Node): ReadonlySet<string> {
  const known = reachable.get(node);
  if (known) return known;
  const below = new Set(node.next.flatMap((next) => (next ? [...countriesBelow(next)] : [])));
  if (node.country !== undefined) below.add(node.country);
  reachable.set(node, below);
  return below;
}

/** Builds the automaton of the national numbers of the countries that share a calling code. */
function numbersOf(codes: readonly string[]): Node | undefined {
  const patterns = new Patterns();
  const countries = codes.map((code) => compiled(patterns, code));
  const known = new Map<string, Node | undefined>();
  const byShape = new Map<string, Node>();
  let nodes = 0;
  const nodeOf = (states: readonly number[], length: number): Node | undefined => {
    const key = `${length} ${states}`;
    if (known.has(key)) return known.get(key);
    const next = DIGITS.map((digit) => {
      const following = length < LONGEST_NATIONAL ? patterns.follow(states, digit) : [];
      return following.length > 0 ? nodeOf(following, length + 1) : undefined;
    });
    const found = ordinaryCountry(countries, new Set(states), length);
    // A number that is a prefix of another country's numbers is only dialed within its own country.
    const country = next.some((node) => node && [...countriesBelow(node)].some((code) => code !== found))
      ? undefined
      : found;
    const shape = `${country} ${next.map((node) => node?.id)}`;
    const isEmpty = country === undefined && next.every((node) => node === undefined);
    const node = isEmpty ? undefined : (byShape.get(shape) ?? { country, next, id: nodes++ });
    if (node) byShape.set(shape, node);
    known.set(key, node);
    return node;
  };
  const starts = countries.flatMap(({ general, beginning, types: own }) => [
    general.start,
    ...(beginning ? [beginning.start] : []),
    ...own.map(({ pattern }) => pattern.start),
  ]);
  return nodeOf(patterns.reach(starts), 0);
}

function compiled(patterns: Patterns, code: string): Country {
  const row = metadata.countries[code as keyof typeof metadata.countries] as readonly unknown[];
  const beginning = row[BEGINNING];
  const rows = (row[TYPES] ?? []) as readonly ([string, number[]?] | 0 | undefined)[];
  return {
    code,
    general: patterns.compile(String(row[GENERAL])),
    beginning: beginning ? patterns.compileBeginning(String(beginning)) : undefined,
    types: rows.flatMap((type, index) => {
      const [source, lengths] = type || [];
      const isOrdinary = types[index]?.isOrdinary ?? false;
      return source ? [{ isOrdinary, pattern: patterns.compile(source), lengths }] : [];
    }),
  };
}

/**
 * Returns the country of an ordinary number, as libphonenumber determines it, except that a number of two types is
 * ordinary only if both types are.
 */
function ordinaryCountry(
  countries: readonly Country[],
  states: ReadonlySet<number>,
  length: number,
): string | undefined {
  const matches = ({ end }: Pattern) => states.has(end);
  for (const { code, general, beginning, types: own } of countries) {
    const hits = matches(general)
      ? own.filter(({ pattern, lengths }) => matches(pattern) && (lengths?.includes(length) ?? true))
      : [];
    const isOfCountry = countries.length === 1 || (beginning ? matches(beginning) : hits.length > 0);
    if (isOfCountry) return hits.length > 0 && hits.every(({ isOrdinary }) => isOrdinary) ? code : undefined;
  }
  return undefined;
}

type Roots = readonly (readonly [callingCode: string, root: Node | undefined])[];

/** Writes the shortest prefixes that distinguish the countries: `US:1 CA:1204,1226 …`. */
function beginningsOf(roots: Roots): string {
  const ofCountry = new Map<string, string[]>();
  const note = (country: string, beginning: string) =>
    ofCountry.set(country, [...(ofCountry.get(country) ?? []), beginning]);
  /** @param inherited the country of the shorter prefix. */
  const walk = (node: Node, beginning: string, inherited: string) => {
    const below = countriesBelow(node);
    const [only] = below;
    if (below.size === 1) {
      if (only !== undefined && only !== inherited) note(only, beginning);
      return;
    }
    node.next.forEach((next, digit) => {
      if (next) walk(next, `${beginning}${digit}`, inherited);
    });
  };
  for (const [callingCode, root] of roots) {
    const [main] = metadata.country_calling_codes[
      callingCode as keyof typeof metadata.country_calling_codes
    ] as string[];
    note(String(main), callingCode);
    if (root) walk(root, callingCode, String(main));
  }
  return [...ofCountry].map(([country, beginnings]) => `${country}:${beginnings}`).join(' ');
}

/**
 * Writes the automaton as bytes: each node after the nodes that it leads to, the root last. A node is 1 if an ordinary
 * number ends there, otherwise 0, followed by the runs of digits that lead to the same node: the length of the run, and
 * that node's distance back from this one (0 for none), both as variable-length integers of 7 bits per byte.
 */
function bytesOf(roots: Roots): Buffer {
  const bytes: number[] = [];
  const write = (value: number) => {
    for (let left = value; ; left >>= 7) {
      bytes.push(left > 127 ? (left & 127) | 128 : left);
      if (left <= 127) return;
    }
  };
  const places = new Map<string, number>();
  const placed = new Map<Node, number>();
  const place = (isEnd: boolean, next: readonly number[]): number => {
    const shape = `${isEnd} ${next}`;
    const known = places.get(shape);
    if (known !== undefined) return known;
    const here = places.size;
    places.set(shape, here);
    write(isEnd ? 1 : 0);
    for (let digit = 0; digit < 10; ) {
      const from = digit;
      while (digit < 10 && next[digit] === next[from]) digit += 1;
      const to = next[from] as number;
      write(digit - from);
      write(to === NOWHERE ? 0 : here - to);
    }
    return here;
  };
  const placeNode = (node: Node | undefined): number => {
    if (!node) return NOWHERE;
    const at = placed.get(node) ?? place(node.country !== undefined, node.next.map(placeNode));
    placed.set(node, at);
    return at;
  };
  const national = new Map(roots.map(([callingCode, root]) => [callingCode, placeNode(root)]));
  const placeBeginning = (beginning: string): number => {
    const found = national.get(beginning);
    if (found !== undefined) return found;
    const isBeginning = [...national.keys()].some((code) => code.startsWith(beginning));
    return isBeginning
      ? place(
          false,
          DIGITS.map((digit) => placeBeginning(`${beginning}${digit}`)),
        )
      : NOWHERE;
  };
  placeBeginning('');
  return Buffer.from(bytes);
}

const NOWHERE = -1;
