import type { LeadEventKind } from '../../domain/connections/activity.ts';
import { parseJson } from '../../domain/json.ts';
import { readExactJson } from '../../domain/text/exact-json.ts';
import { isTooLarge } from '../delivery-size.ts';
import { isObject, longest, shownKeys, textOf } from '../lead-text.ts';

/** The content of a notification. */
export type Notification = {
  /** The distinct ids of the leads; may be empty. */
  ids: string[];
  event: LeadEventKind;
  /** When CRM-B sent it, by its own clock, ISO 8601. */
  sentAt?: string;
  /** Why the notification concerns no lead that can be called. */
  ignored?: string;
  /** The names of the body's members. */
  keys: string[];
};

const MAX_IDS = 500;

/** The operations of a notification. The subscription uses other words (create, edit). */
const eventKinds = new Map<string, LeadEventKind>([
  ['insert', 'new_lead'],
  ['update', 'lead_edited'],
  ['delete', 'lead_deleted'],
]);

/** A notification before its sender is authenticated. */
type OpenedNotification = {
  token: string | undefined;
  /** Reads the body; undefined if it is not a notification: `ids` is not a list or has more than 500. */
  read: () => Notification | 'too large' | undefined;
};

const TOKEN = /"token"\s*:\s*"([^"\\]*)"/;

/**
 * Reads the token of a notification of CRM-B (Zoho CRM v8, "Notification APIs"). The caller authenticates it before it
 * calls `read`. Anyone can send a body of some MB whose parsing takes seconds, so a body that is too large is not
 * parsed, and exact numbers, which take ten times as long, are read only by `read`.
 */
export function openNotification(text: string): OpenedNotification {
  if (isTooLarge(text)) return { token: TOKEN.exec(text)?.[1], read: () => 'too large' };
  return {
    token: tokenIn(text),
    read() {
      const body = readExactJson(text);
      return isObject(body) ? readBody(body) : undefined;
    },
  };
}

function tokenIn(text: string): string | undefined {
  const body = parseJson(text);
  return isObject(body) && typeof body.token === 'string' ? body.token : undefined;
}

function readBody(body: Record<string, unknown>): Notification | undefined {
  const ids = idsOf(body.ids);
  if (!ids || ids.length > MAX_IDS) return undefined;
  const module = textOf(body.module) ?? 'Leads';
  const event = eventKinds.get(textOf(body.operation)?.toLowerCase() ?? '') ?? 'other';
  const keys = shownKeys(Object.keys(body));
  const sentAt = instantOf(body.server_time);
  const sent = sentAt === undefined ? {} : { sentAt };
  if (module !== 'Leads')
    return { ids: [], event: 'other', ignored: 'The notification is about another module than Leads.', keys };
  if (event === 'lead_deleted') return { ids, event, ignored: 'The CRM deleted the lead.', keys };
  return { ids, event, ...sent, keys };
}

const LATEST_MS = 8.64e15; // ECMAScript, "Time Values and Time Range"

/** @param given epoch milliseconds, as CRM-B sends `server_time`. */
const instantOf = (given: unknown): string | undefined =>
  Number.isSafeInteger(given) && Number(given) > 0 && Number(given) <= LATEST_MS
    ? new Date(Number(given)).toISOString()
    : undefined;

function idsOf(given: unknown): string[] | undefined {
  const list: unknown = given ?? [];
  if (!Array.isArray(list)) return undefined;
  const ids = list.flatMap((id) => textOf(id) ?? []).filter((id) => id.length <= longest.id);
  return [...new Set(ids)];
}
