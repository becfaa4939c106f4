import * as z from 'zod/mini';
import type { ReconnectNeeded } from '../../domain/connections/access/token-result.ts';
import type { CrmBAccess, CrmBAnswer, CrmBApi, CrmBRequest } from './api.ts';

/** A channel in CRM-B's list. */
export type WatchedChannel = {
  id: string;
  /** In UTC. CRM-B uses the offset of the account. */
  expires_at: string;
  notify_url: string;
  /** Whether the channel reports both new and edited leads. */
  isComplete: boolean;
};

/** A failed request. `unknown`: it may have had its effect. */
type Failed = { kind: 'unavailable' | 'unknown' | 'refused'; reason: string } | ReconnectNeeded;

type Armed = { kind: 'armed'; expires_at: string };
/** CRM-B does not know the channel: it has expired or was stopped. */
type Gone = { kind: 'gone' };

type NewChannel = { id: string; token: string; notifyUrl: string; expiresAt: Date };

/** The client of CRM-B's watch channels (Zoho CRM v8, "Notification APIs"). */
export type CrmBWatch = {
  /**
   * Subscribes a new channel to created and edited leads.
   * @param channel.token at most 50 characters
   * @returns the actual expiry, which may differ from the requested one
   */
  arm(access: CrmBAccess, channel: NewChannel): Promise<Armed | Failed>;
  /** Extends a channel, which keeps its token. CRM-B requires the address again. */
  renew(access: CrmBAccess, channel: Omit<NewChannel, 'token'>): Promise<Armed | Gone | Failed>;
  /**
   * Lists the channel with this id, or every channel of this OAuth client. The vendor's documents call the id mandatory
   * and show requests without it, so callers that depend on the answer name it.
   */
  list(access: CrmBAccess, channelId?: string): Promise<{ kind: 'listed'; channels: WatchedChannel[] } | Failed>;
  stop(access: CrmBAccess, channelId: string): Promise<{ kind: 'stopped' } | Gone | Failed>;
};

const PATH = '/crm/v8/actions/watch';
const EVENTS = ['Leads.create', 'Leads.edit'];
const PER_PAGE = 200;
const MAX_PAGES = 10;

/** Each item has its own status, even in a 2xx. */
const itemSchema = z.object({ status: z.string(), code: z.string() });
const armedSchema = z.object({
  details: z.object({ events: z.array(z.object({ channel_expiry: z.string() })).check(z.minLength(1)) }),
});
const rowSchema = z.object({
  channel_id: z.union([z.string(), z.number()]),
  channel_expiry: z.string(),
  notify_url: z.string(),
  events: z.array(z.string()),
});
const pageSchema = z.object({
  watch: z.array(rowSchema),
  info: z.optional(z.object({ more_records: z.optional(z.boolean()) })),
});

export function crmBWatch(api: CrmBApi): CrmBWatch {
  const send = (access: CrmBAccess, request: Omit<CrmBRequest, 'path'>) => api(access, { path: PATH, ...request });

  return {
    async arm(access, { id, token, notifyUrl, expiresAt }) {
      const channel = {
        channel_id: id,
        events: EVENTS,
        channel_expiry: vendorTime(expiresAt),
        token,
        notify_url: notifyUrl,
        // Our own notes and call logs must not be reported as changes of their lead.
        notify_on_related_action: false,
      };
      const armed = readArmed(await send(access, { method: 'POST', json: { watch: [channel] } }));
      return armed.kind === 'gone' ? { kind: 'refused', reason: 'NOT_SUBSCRIBED' } : armed;
    },

    async renew(access, { id, notifyUrl, expiresAt }) {
      const channel = { channel_id: id, channel_expiry: vendorTime(expiresAt), notify_url: notifyUrl };
      return readArmed(await send(access, { method: 'PATCH', json: { watch: [channel] } }));
    },

    async list(access, channelId) {
      const channels: WatchedChannel[] = [];
      for (let page = 1; page <= MAX_PAGES; page += 1) {
        const query = {
          ...(channelId !== undefined && { channel_id: channelId }),
          module: 'Leads',
          page: String(page),
          per_page: String(PER_PAGE),
        };
        const answer = await send(access, { method: 'GET', query });
        if (answer.kind !== 'answered') return failed(answer);
        // A 204: no channels or no further page.
        if (answer.body === undefined) return { kind: 'listed', channels };
        const { data } = pageSchema.safeParse(answer.body);
        if (!data) return { kind: 'unknown', reason: 'a list that cannot be read' };
        channels.push(...data.watch.flatMap(channelOf));
        if (!data.info?.more_records) return { kind: 'listed', channels };
      }
      return { kind: 'unavailable', reason: 'the list has too many pages' };
    },

    async stop(access, channelId) {
      const answer = await send(access, { method: 'DELETE', query: { channel_ids: channelId } });
      const item = readItem(answer);
      return item.kind === 'done' ? { kind: 'stopped' } : item;
    },
  };
}

/** Formats an instant without milliseconds, which CRM-B rejects. */
const vendorTime = (at: Date): string => at.toISOString().replace(/\.\d{3}Z$/, '+00:00');

function readItem(answer: CrmBAnswer): { kind: 'done'; item: unknown } | Gone | Failed {
  if (answer.kind === 'refused' && answer.code === 'NOT_SUBSCRIBED') return { kind: 'gone' };
  if (answer.kind !== 'answered') return failed(answer);
  const [item] = Array.isArray(Object(answer.body).watch) ? Object(answer.body).watch : [];
  const { data } = itemSchema.safeParse(item);
  if (!data) return { kind: 'unknown', reason: 'an answer that cannot be read' };
  if (data.code === 'NOT_SUBSCRIBED') return { kind: 'gone' };
  return data.status === 'success' ? { kind: 'done', item } : { kind: 'refused', reason: data.code };
}

function readArmed(answer: CrmBAnswer): Armed | Gone | Failed {
  const read = readItem(answer);
  if (read.kind !== 'done') return read;
  const expiries = armedSchema.safeParse(read.item).data?.details.events.map((event) => event.channel_expiry) ?? [];
  const [first] = expiries.flatMap(instantOf).sort();
  return first === undefined
    ? { kind: 'unknown', reason: 'an answer without expiry' }
    : { kind: 'armed', expires_at: first };
}

function channelOf(row: z.infer<typeof rowSchema>): WatchedChannel[] {
  const { channel_id, notify_url, events } = row;
  return instantOf(row.channel_expiry).map((expires_at) => ({
    id: String(channel_id),
    expires_at,
    notify_url,
    isComplete: EVENTS.every((event) => events.includes(event)),
  }));
}

/** Normalizes an instant; empty if the text is not one. */
function instantOf(text: string): string[] {
  const at = Date.parse(text);
  return Number.isNaN(at) ? [] : [new Date(at).toISOString()];
}

function failed(answer: Exclude<CrmBAnswer, { kind: 'answered' }>): Failed {
  if (answer.kind !== 'refused') return answer;
  return { kind: 'refused', reason: answer.code ?? `status ${answer.status}` };
}
