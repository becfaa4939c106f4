import * as z from 'zod/mini';
import type { ContactFields } from '../../domain/after-call/tickets/help-desk-ticket.ts';
import { nationalDigits, toE164 } from '../../domain/text/national-number.ts';
import type { HelpDeskApi } from './api.ts';
import type { HelpDeskAccess, HelpDeskReading, HelpDeskWrite } from './help-desk.ts';
import { byAge, idSchema, lookupEnd, readAll, timeSchema, write } from './records.ts';

export type HelpDeskContacts = ReturnType<typeof helpDeskContacts>;

const text = z.catch(z.nullish(z.string()), undefined);
const contactRow = z.object({ id: idSchema, phone: text, mobile: text, createdTime: timeSchema });

/** Accesses the contacts of the help desk. */
export const helpDeskContacts = (api: HelpDeskApi) => ({
  /**
   * Looks up the contact with exactly this number as phone or mobile, in any notation (docs/help-desk.md, "The
   * contact"). Prefers contacts that the search for the whole number finds, and the oldest of several.
   * @param phone E.164. @param region two-letter country of numbers without a country code.
   */
  async find(access: HelpDeskAccess, phone: string, region: string): Promise<HelpDeskReading<{ id: string }>> {
    const until = lookupEnd();
    for (const searchStr of searchesFor(phone)) {
      const answer = await search(api, access, searchStr, until);
      if (answer.kind !== 'read') return answer;
      const matches = answer.value.filter((row) =>
        [row.phone, row.mobile].some((typed) => isPhone(typed, phone, region)),
      );
      const [oldest] = matches.sort(byAge);
      if (oldest) return { kind: 'found', id: oldest.id };
    }
    return { kind: 'absent' };
  },

  /** Creates a contact. @param contact from `contactFields` (domain/after-call/tickets/help-desk-ticket.ts). */
  create: (access: HelpDeskAccess, contact: ContactFields): Promise<HelpDeskWrite> =>
    write(api, access, { path: '/api/v1/contacts', json: contact }, z.object({ id: idSchema })),
});

async function search(api: HelpDeskApi, access: HelpDeskAccess, searchStr: string, until: number) {
  const request = { path: '/api/v1/search/contacts', query: { searchStr }, until };
  const answer = await readAll(api, access, request, contactRow);
  if (answer.kind !== 'refused' || answer.status !== 404) return answer;
  // The vendor documents another path, whose texts are patterns (Zoho Desk v1, "Search contacts").
  const query = { _all: `*${searchStr.replace(/\D/g, '')}*` };
  return readAll(api, access, { path: '/api/v1/contacts/search', query, until }, contactRow);
}

/** The number of the call, then its national digits, which also match `+91 98765...`. */
const searchesFor = (phone: string): string[] => [phone, nationalDigits(phone)];

/** Returns whether a typed text is this number. A number with an extension is another number. */
const isPhone = (typed: string | null | undefined, phone: string, region: string): boolean =>
  toE164(typed ?? '', region) === phone && (typed ?? '').replace(/\D/g, '').endsWith(nationalDigits(phone));
