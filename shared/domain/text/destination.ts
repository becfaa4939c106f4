import { brotliDecompressSync } from 'node:zlib';
import { TABLE } from './destination-table.ts';

/** The destination of a number. */
export type Destination = {
  /** Two letters; undefined for satellite phones and other numbers without a country. */
  country: string | undefined;
  /**
   * Whether it is an ordinary number of people and companies: fixed, mobile, internet telephony, toll-free, universal
   * access. Premium, shared-cost, personal, pager and voicemail numbers are not ordinary, nor are unassigned numbers.
   */
  isOrdinary: boolean;
};

const DIGITS = 10;
const LINE_FEED = 0x0a;

type Table = {
  countries: ReadonlyMap<string, string>;
  longest: number;
  /** For each node, its successors by digit; 0 for none. All paths start at the last node. */
  next: Uint16Array;
  ends: readonly boolean[];
};

let table: Table | undefined;

/**
 * Returns a number's destination, by the numbering plans of all countries (docs/decisions/0028-where-calls-may-go.md).
 * The time is linear in the digits; the first call unpacks the table, which takes some milliseconds.
 * @param phone canonical E.164
 */
export function destinationOf(phone: string): Destination {
  table ??= unpacked(Buffer.from(TABLE, 'base64'));
  const digits = phone.slice(1);
  return { country: countryOf(table, digits), isOrdinary: isOrdinary(table, digits) };
}

function countryOf({ countries, longest }: Table, digits: string): string | undefined {
  for (let length = Math.min(longest, digits.length); length > 0; length -= 1) {
    const country = countries.get(digits.slice(0, length));
    if (country !== undefined) return country;
  }
  return undefined;
}

function isOrdinary({ next, ends }: Table, digits: string): boolean {
  let node = ends.length - 1;
  for (const digit of digits) {
    node = next[node * DIGITS + Number(digit)] ?? 0;
    if (node === 0) return false;
  }
  return ends[node] === true;
}

/** Unpacks the table. @param packed as scripts/destinations/table.ts writes it. */
function unpacked(packed: Uint8Array): Table {
  const plain = brotliDecompressSync(packed);
  const end = plain.indexOf(LINE_FEED);
  const countries = new Map(
    plain
      .toString('latin1', 0, end)
      .split(' ')
      .flatMap((entry) => {
        const [country = '', beginnings = ''] = entry.split(':');
        return beginnings.split(',').map((beginning) => [beginning, country] as const);
      }),
  );
  const longest = Math.max(...[...countries.keys()].map(({ length }) => length));
  return { countries, longest, ...automaton(plain.subarray(end + 1)) };
}

function automaton(bytes: Uint8Array): Pick<Table, 'next' | 'ends'> {
  let at = 0;
  const read = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at] ?? 0;
      at += 1;
      value |= (byte & 127) << shift;
      if (byte <= 127) return value;
    }
  };
  // Node 0 is a dead end.
  const next: number[] = Array(DIGITS).fill(0);
  const ends = [false];
  while (at < bytes.length) {
    const node = ends.push(read() === 1) - 1;
    for (let digit = 0; digit < DIGITS; ) {
      const run = read();
      const back = read();
      for (const stop = digit + run; digit < stop; digit += 1) next.push(back === 0 ? 0 : node - back);
    }
  }
  return { next: Uint16Array.from(next), ends };
}
