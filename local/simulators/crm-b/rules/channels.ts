import type { Channel, VendorError } from '../model.ts';
import type { CrmBState } from '../state.ts';
import { parseTime } from '../times.ts';
import type { Caller } from './caller.ts';
import { itemErrors } from './problems.ts';

/** An item of a watch request, as sent. */
export type WatchItem = Record<string, unknown>;

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
const eventPattern = /^(Leads|Contacts|Accounts|Deals|Calls|Tasks|Notes)\.(create|edit|delete|all)$/;

/** Returns the channels that have not expired. The vendor forgets expired ones. */
export function activeChannels(state: CrmBState): Channel[] {
  return state.channels.filter(({ expiresAt }) => expiresAt > state.clock());
}

/** Returns the active channels of the caller's organization and client. */
export const channelsOf = (state: CrmBState, { user, grant }: Caller, channelId?: string): Channel[] =>
  activeChannels(state).filter(
    (channel) =>
      channel.org === user.org &&
      channel.clientId === grant.clientId &&
      (channelId === undefined || channel.channelId === channelId),
  );

export function removeChannels(state: CrmBState, removed: Channel[]): void {
  state.channels = state.channels.filter((channel) => !removed.includes(channel));
}

/** Checks an item. @param options.needsEvents whether an item without `events` is refused */
export function checkItem(
  state: CrmBState,
  item: WatchItem,
  path: string,
  { needsEvents }: { needsEvents: boolean },
): VendorError | undefined {
  for (const name of needsEvents ? ['channel_id', 'events', 'notify_url'] : ['channel_id', 'notify_url'])
    if (item[name] === undefined || item[name] === null) return itemErrors.missing(name, `${path}.${name}`);
  const invalid = (name: string, more = {}) => itemErrors.invalid(name, `${path}.${name}`, more);
  const { channel_id: id, events, notify_url: url, token, channel_expiry: expiry } = item;
  if (!/^\d{1,19}$/.test(String(id)) || BigInt(String(id)) >= 2n ** 63n)
    return invalid('channel_id', { expected_data_type: 'long' });
  if (events !== undefined && !areEvents(events)) return invalid('events');
  if (typeof url !== 'string' || url.length > 255 || !URL.canParse(url) || !/^https?:/.test(url))
    return invalid('notify_url', { maximum_length: 255 });
  if (token !== undefined && token !== null && (typeof token !== 'string' || token.length > 50))
    return invalid('token', { maximum_length: 50 });
  if (expiry !== undefined && expiry !== null) {
    const at = parseTime(expiry);
    if (at === undefined || at <= state.clock()) return invalid('channel_expiry', { expected_data_type: 'datetime' });
  }
  for (const name of ['notify_on_related_action', 'return_affected_field_values'])
    if (item[name] !== undefined && item[name] !== null && typeof item[name] !== 'boolean')
      return invalid(name, { expected_data_type: 'boolean' });
  return undefined;
}

const areEvents = (events: unknown): boolean =>
  Array.isArray(events) &&
  events.length > 0 &&
  events.length <= 50 &&
  events.every((event) => typeof event === 'string' && eventPattern.test(event));

/**
 * Subscribes a channel to the modules of its events.
 * @param kept the channel's former subscriptions; details that the item omits are taken from them
 */
export function subscribe(state: CrmBState, { user, grant }: Caller, item: WatchItem, kept: Channel[] = []): Channel[] {
  const [old] = kept;
  const given = item.events as string[] | undefined;
  const events = given ?? kept.flatMap(({ module, events }) => events.map((event) => `${module}.${event}`));
  const modules = Map.groupBy(new Set(events), (event) => event.split('.')[0] ?? '');
  const detail = <Value>(name: string, previous: Value | undefined, fallback: Value) =>
    (item[name] === undefined ? (previous ?? fallback) : item[name]) as Value;
  const subscribed = [...modules].map(([module, names]) => ({
    channelId: String(item.channel_id),
    module,
    events: names.map((name) => name.split('.')[1] ?? ''),
    expiresAt: expiryOf(state, item.channel_expiry, old?.expiresAt),
    notifyUrl: String(item.notify_url),
    token: detail<string | null>('token', old?.token, null),
    relatedActions: detail('notify_on_related_action', old?.relatedActions, true) !== false,
    withValues: detail('return_affected_field_values', old?.withValues, false) === true,
    conditions: detail<unknown[] | null>('notification_condition', old?.conditions, null),
    org: user.org,
    userId: user.id,
    clientId: grant.clientId,
    // POST and PUT end the silence of a channel; a renewal by PATCH does not.
    silent: old?.silent ?? false,
  }));
  state.channels.push(...subscribed);
  return subscribed;
}

/** The vendor's default is an hour. It also replaces, without an error, an expiry of more than a week (Kaizen 170). */
function expiryOf({ clock }: CrmBState, given: unknown, kept: number | undefined): number {
  const at = parseTime(given);
  if (at === undefined) return kept ?? clock() + HOUR_MS;
  return at > clock() + WEEK_MS ? clock() + HOUR_MS : at;
}
