import type { LeadHappening } from '../../domain/connections/activity.ts';
import { isObject, longest, shownKeys, textOf } from '../lead-text.ts';

/** What a notification says. */
export type Notification = {
  /** The ids of the leads, each once. None where the body names none. */
  ids: string[];
  event: LeadHappening;
  /** Why it is not about leads that could be called. */
  ignored?: string;
  /** Names of the body's members. */
  keys: string[];
};

const MOST_IDS = 500;

/** In the notification's own words, which are not those of the subscription (create, edit). */
const happenings: Record<string, LeadHappening> = { insert: 'new_lead', update: 'lead_edited', delete: 'lead_deleted' };

/** With the text that a value was read from (ECMAScript, "JSON.parse source text access"). */
type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

/**
 * Reads the body of a notification of CRM-B (Zoho CRM v8, "Notifications"), as far as to who sent it.
 * @returns the token as it stands in the body; `read` gives the rest, or undefined where it is no notification: its `ids`
 * are no list, or more than 500.
 */
export function openNotification(text: string): { token: string | undefined; read: () => Notification | undefined } {
  const body = readJson(text);
  if (!isObject(body)) return { token: undefined, read: () => undefined };
  const { token } = body;
  return { token: typeof token === 'string' ? token : undefined, read: () => readBody(body) };
}

function readBody(body: Record<string, unknown>): Notification | undefined {
  const ids = idsOf(body.ids);
  if (!ids || ids.length > MOST_IDS) return undefined;
  const module = textOf(body.module) ?? 'Leads';
  const event = happenings[textOf(body.operation)?.toLowerCase() ?? ''] ?? 'other';
  const keys = shownKeys(Object.keys(body));
  if (module !== 'Leads')
    return { ids: [], event: 'other', ignored: 'The notification is about another module than Leads.', keys };
  if (event === 'lead_deleted') return { ids, event, ignored: 'The CRM deleted the lead.', keys };
  return { ids, event, keys };
}

function idsOf(given: unknown): string[] | undefined {
  const list: unknown = given ?? [];
  if (!Array.isArray(list)) return undefined;
  const ids = list.flatMap((id) => textOf(id) ?? []).filter((id) => id.length <= longest.id);
  return [...new Set(ids)];
}

/** Ids come as strings or as numbers, of up to 19 digits: more than a number here can hold, so that their text counts. */
function readJson(text: string): unknown {
  const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;
  const asWritten: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) ? source : value;
  try {
    return parse(text, asWritten);
  } catch {
    return undefined;
  }
}
