import * as z from 'zod/mini';
import { parseJson } from '../json.ts';
import { numbersIn } from '../text/national-number.ts';

/** The part of a stored event that contains numbers, in the format of any version. */
const schema = z.object({
  lead: z.object({
    phones: z._default(z.array(z.string()), []),
    fields: z._default(z.record(z.string(), z.string()), {}),
  }),
});

/**
 * Four digits: the shortest number has seven, and up to three of the country code may be missing. Most fields have
 * fewer digits, and parsing a number takes time.
 */
const MAY_BE_NUMBER = /(?:\p{Nd}\P{Nd}*){4}/u;

/**
 * Returns whether one of the lead's phones or fields is this number, even if another one would be dialed. A number in
 * the middle of a text, such as a note, does not count.
 * @param stored the event of an Activity entry, as JSON @param phone E.164
 * @param region of numbers without a country code
 */
export function hasNumber(stored: string, phone: string, region: string): boolean {
  const { data } = schema.safeParse(parseJson(stored));
  const texts = new Set(data && [...data.lead.phones, ...Object.values(data.lead.fields)]);
  return [...texts].some((text) => MAY_BE_NUMBER.test(text) && [...numbersIn(text, region)].includes(phone));
}
