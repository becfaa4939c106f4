import * as z from 'zod/mini';
import type { ContactFields } from '../../domain/after-call/tickets/help-desk-ticket.ts';
import { nationalDigits, toE164 } from '../../domain/text/national-number.ts';
import type { HelpDeskApi } from './api.ts';
import type { HelpDeskAccess, HelpDeskReading, HelpDeskWrite } from './help-desk.ts';
import { byAge, idSchema, lookupEnd, readAll, timeSchema, tooManyToSearch, write } from './records.ts';

export type HelpDeskContacts = ReturnType<typeof helpDeskContacts>;

const text = z.catch(z.nullish(z.string()), undefined);
const contactRow = z.object({ id: idSchema, phone: text, mobile: text, createdTime: timeSchema });
type ContactRow = z.infer<typeof contactRow>;

/** People write the last four digits of a number without a gap, in India usually the last five. */
const DIGITS_OF_END = 4;

/** Accesses the contacts of the help desk. */
export const helpDeskContacts = (api: HelpDeskApi) => ({
  /**
   * Looks up the contact with exactly this number as phone or mobile, in any notation (docs/help-desk.md, "The
   * contact"). Prefers contacts that the search for the whole number finds, and the oldest of several.
   * @param phone E.164. @param region two-letter country of numbers without a country code.
   */
  async find(access: HelpDeskAccess, phone: string, region: string): Promise<HelpDeskReading<{ id: string }>> {
    const until = lookupEnd();
    const oldestOf = (rows: ContactRow[]) =>
      rows.filter((row) => [row.phone, row.mobile].some((typed) => isPhone(typed, phone, region))).sort(byAge)[0];
    let isVendorsPath = false;
    for (const searchStr of searchesFor(phone)) {
      const { answer, path } = await search(api, access, searchStr, until);
      if (answer.kind !== 'read') return answer;
      const oldest = oldestOf(answer.value);
      if (oldest) return { kind: 'found', id: oldest.id };
      isVendorsPath = path === VENDORS_PATH;
    }
    for (const field of isVendorsPath ? ['mobile', 'phone'] : []) {
      const answer = await searchByEnd(api, access, { field, phone, until });
      if (answer.kind !== 'read') return answer;
      const oldest = oldestOf(answer.value);
      if (oldest) return { kind: 'found', id: oldest.id };
    }
    return { kind: 'absent' };
  },

  /** Creates a contact. @param contact from `contactFields` (domain/after-call/tickets/help-desk-ticket.ts). */
  create: (access: HelpDeskAccess, contact: ContactFields): Promise<HelpDeskWrite> =>
    write(api, access, { path: '/api/v1/contacts', json: contact }, z.object({ id: idSchema })),
});

/** The vendor documents this path, whose texts are patterns (Zoho Desk v1, "Search contacts"). */
const VENDORS_PATH = '/api/v1/contacts/search';

async function search(api: HelpDeskApi, access: HelpDeskAccess, searchStr: string, until: number) {
  const path = '/api/v1/search/contacts';
  const answer = await readAll(api, access, { path, query: { searchStr }, until }, contactRow);
  if (answer.kind !== 'refused' || answer.status !== 404) return { answer, path };
  const query = { _all: `*${searchStr.replace(/\D/g, '')}*` };
  return { answer: await readAll(api, access, { path: VENDORS_PATH, query, until }, contactRow), path: VENDORS_PATH };
}

/**
 * Searches the numbers with the same last digits, because the vendor's search compares numbers as they were typed, with
 * spaces and hyphens. If the help desk refuses the pattern, or has too many such numbers, the result is empty.
 */
async function searchByEnd(
  api: HelpDeskApi,
  access: HelpDeskAccess,
  { field, phone, until }: { field: string; phone: string; until: number },
): Promise<Exclude<Awaited<ReturnType<typeof search>>['answer'], { kind: 'refused' }>> {
  const request = { path: VENDORS_PATH, query: { [field]: `*${phone.slice(-DIGITS_OF_END)}` }, until };
  const answer = await readAll(api, access, request, contactRow);
  return answer.kind === 'refused' || answer === tooManyToSearch ? { kind: 'read', value: [] } : answer;
}

/** The number of the call, then its national digits, which also match `+91 98765...`. */
const searchesFor = (phone: string): string[] => [phone, nationalDigits(phone)];

/** Returns whether a typed text is this number. A number with an extension is another number. */
const isPhone = (typed: string | null | undefined, phone: string, region: string): boolean =>
  toE164(typed ?? '', region) === phone && (typed ?? '').replace(/\D/g, '').endsWith(nationalDigits(phone));
