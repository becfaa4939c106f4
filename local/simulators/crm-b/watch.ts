import type { Answer } from '../answer.ts';
import { flat, type ItemResult, itemErrors, itemsAnswer, success, type VendorError, vendorError } from './answers.ts';
import type { Caller, Handler } from './api-routes.ts';
import { jsonObject } from './body.ts';
import { apiDomain, type CrmBState, type Simulator } from './state.ts';
import { parseTime } from './times.ts';

/** A subscription of one channel to one module: the vendor lists a channel once per module. */
export type Channel = {
  channelId: string;
  module: string;
  /** `create`, `edit`, `delete`, `all`. */
  events: string[];
  expiresAt: number;
  notifyUrl: string;
  token: string | null;
  relatedActions: boolean;
  withValues: boolean;
  conditions: unknown[] | null;
  org: string;
  userId: string;
  clientId: string;
  /** Looks active and delivers nothing. */
  silent: boolean;
};

type Item = Record<string, unknown>;

const week = 7 * 86_400_000;
const hour = 3_600_000;
const eventPattern = /^(Leads|Contacts|Accounts|Deals|Calls|Tasks|Notes)\.(create|edit|delete|all)$/;
const moduleIds: Record<string, string> = { Leads: '554000000000125' };
const moduleId = (module: string) => moduleIds[module] ?? '554000000000126';

/** Channels that have not expired; the vendor forgets the others by itself. */
export function activeChannels(state: CrmBState): Channel[] {
  return state.channels.filter(({ expiresAt }) => expiresAt > state.clock());
}

const mine = (state: CrmBState, { user, grant }: Caller, channelId?: string) =>
  activeChannels(state).filter(
    (channel) =>
      channel.org === user.org &&
      channel.clientId === grant.clientId &&
      (channelId === undefined || channel.channelId === channelId),
  );

/** Enable. A channel id in use is subscribed anew, as the vendor advises before it expires. */
export const enable: Handler = (simulator, caller) =>
  eachItem(simulator, caller, 201, (item, path) => {
    const { state } = simulator;
    const problem = checkItem(state, item, path, true);
    if (problem) return problem;
    forget(state, mine(state, caller, String(item.channel_id)));
    const made = subscribe(state, caller, item, undefined);
    return success('Successfully subscribed for actions-watch of the given module', {
      events: made.map((channel) => eventDetails(simulator, channel)),
    });
  });

/** PUT drops every detail that is left out; PATCH keeps it, and removes events where `_delete_events` says so. */
const update =
  (keeps: boolean): Handler =>
  (simulator, caller) =>
    eachItem(simulator, caller, 200, (item, path) => {
      const { state } = simulator;
      const known = mine(state, caller, String(item.channel_id));
      if (item.channel_id !== undefined && known.length === 0) return notSubscribed(String(item.channel_id));
      if (keeps && item._delete_events === true) return removeEvents(simulator, known, item, path);
      const problem = checkItem(state, item, path, !keeps);
      if (problem) return problem;
      forget(state, known);
      const made = subscribe(state, caller, item, keeps ? known : undefined);
      return success('Successfully updated the subscribe details', {
        events: made.map((channel) => eventDetails(simulator, channel)),
      });
    });

export const replace: Handler = update(false);
export const patch: Handler = update(true);

export const disable: Handler = (simulator, caller) => {
  const ids = caller.query.get('channel_ids')?.split(',').filter(Boolean) ?? [];
  if (ids.length === 0)
    throw flat(400, 'REQUIRED_PARAM_MISSING', 'One of the expected parameter is missing', {
      param_name: 'channel_ids',
    });
  const results = ids.flatMap((id): ItemResult[] => {
    const known = mine(simulator.state, caller, id);
    forget(simulator.state, known);
    if (known.length === 0) return [notSubscribed(id)];
    return known.map(({ module, channelId }) =>
      success('Successfully un-subscribed from actions-watch', {
        resource_uri: `${apiDomain(simulator)}/crm/v8/${module}`,
        resource_id: moduleId(module),
        channel_id: channelId,
      }),
    );
  });
  return withNotSubscribed('watch', results, 200, simulator.state);
};

export const details: Handler = (simulator, caller) => {
  const { state } = simulator;
  const wanted = caller.query.get('channel_id');
  const module = caller.query.get('module');
  const page = Number(caller.query.get('page') ?? 1);
  const perPage = Number(caller.query.get('per_page') ?? 200);
  const all = mine(state, caller, wanted ?? undefined).filter((channel) => !module || channel.module === module);
  const rows = all.slice((page - 1) * perPage, page * perPage);
  if (rows.length === 0) return { status: 204 };
  const watch = rows.map((channel) => ({
    notify_on_related_action: channel.relatedActions,
    channel_expiry: state.time(channel.expiresAt),
    return_affected_field_values: channel.withValues,
    resource_uri: `${apiDomain(simulator)}/crm/v8/${channel.module}`,
    resource_id: moduleId(channel.module),
    notify_url: channel.notifyUrl,
    resource_name: channel.module,
    fields: null,
    notification_condition: channel.conditions,
    channel_id: channel.channelId,
    events: channel.events.map((event) => `${channel.module}.${event}`),
    token: channel.token,
  }));
  const info = { per_page: perPage, count: rows.length, page, more_records: all.length > page * perPage };
  return { status: 200, json: { watch, info } };
};

function eachItem(
  simulator: Simulator,
  caller: Caller,
  successStatus: number,
  work: (item: Item, path: string) => ItemResult,
): Answer {
  const { watch } = jsonObject(caller.text);
  if (!Array.isArray(watch))
    throw flat(400, 'MANDATORY_NOT_FOUND', 'required field not found', { api_name: 'watch', json_path: '$.watch' });
  if (watch.length === 0 || watch.length > 50)
    throw flat(400, 'INVALID_DATA', 'invalid data', { api_name: 'watch', json_path: '$.watch', maximum_length: 50 });
  const results = watch.map((item, index) => work((item ?? {}) as Item, `$.watch[${index}]`));
  return withNotSubscribed('watch', results, successStatus, simulator.state);
}

/** An expired or unknown channel is answered by 400, other items that fail by the status of the settings. */
function withNotSubscribed(wrapper: 'watch', results: ItemResult[], successStatus: number, state: CrmBState): Answer {
  const gone = results.some(({ code }) => code === 'NOT_SUBSCRIBED');
  return itemsAnswer(wrapper, results, successStatus, gone ? 400 : state.settings.itemErrorStatus);
}

function checkItem(state: CrmBState, item: Item, path: string, isWhole: boolean): VendorError | undefined {
  for (const name of isWhole ? ['channel_id', 'events', 'notify_url'] : ['channel_id', 'notify_url'])
    if (item[name] === undefined || item[name] === null) return itemErrors.missing(name, `${path}.${name}`);
  const invalid = (name: string, more = {}) => itemErrors.invalid(name, `${path}.${name}`, more);
  const { channel_id: id, events, notify_url: url, token, channel_expiry: expiry } = item;
  if (!/^\d{1,19}$/.test(String(id)) || BigInt(String(id)) >= 2n ** 63n)
    return invalid('channel_id', { expected_data_type: 'long' });
  const known = (event: unknown) => typeof event === 'string' && eventPattern.test(event);
  if (
    events !== undefined &&
    !(Array.isArray(events) && events.length > 0 && events.length <= 50 && events.every(known))
  )
    return invalid('events');
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

function subscribe(state: CrmBState, { user, grant }: Caller, item: Item, kept: Channel[] | undefined): Channel[] {
  const old = kept?.[0];
  const asked = item.events as string[] | undefined;
  const events = asked ?? kept?.flatMap(({ module, events }) => events.map((event) => `${module}.${event}`)) ?? [];
  const modules = Map.groupBy(new Set(events), (event) => event.split('.')[0] ?? '');
  const given = <Value>(name: string, previous: Value | undefined, fallback: Value) =>
    (item[name] === undefined ? (previous ?? fallback) : item[name]) as Value;
  const made = [...modules].map(([module, names]) => ({
    channelId: String(item.channel_id),
    module,
    events: names.map((name) => name.split('.')[1] ?? ''),
    expiresAt: expiry(state, item.channel_expiry, old?.expiresAt),
    notifyUrl: String(item.notify_url),
    token: given<string | null>('token', old?.token, null),
    relatedActions: given('notify_on_related_action', old?.relatedActions, true) !== false,
    withValues: given('return_affected_field_values', old?.withValues, false) === true,
    conditions: given<unknown[] | null>('notification_condition', old?.conditions, null),
    org: user.org,
    userId: user.id,
    clientId: grant.clientId,
    // A renewal does not wake a silent channel; arming it anew does.
    silent: old?.silent ?? false,
  }));
  state.channels.push(...made);
  return made;
}

/** An hour where none is given, and, without a word, where more than a week is (Kaizen 170). */
function expiry({ clock }: CrmBState, given: unknown, kept: number | undefined): number {
  const at = parseTime(given);
  if (at === undefined) return kept ?? clock() + hour;
  return at > clock() + week ? clock() + hour : at;
}

function removeEvents(simulator: Simulator, known: Channel[], item: Item, path: string): ItemResult {
  if (!Array.isArray(item.events)) return itemErrors.missing('events', `${path}.events`);
  const gone = new Set(item.events);
  for (const channel of known)
    channel.events = channel.events.filter((event) => !gone.has(`${channel.module}.${event}`));
  forget(
    simulator.state,
    known.filter(({ events }) => events.length === 0),
  );
  return success('Successfully removed the subscribe details', { channel_id: String(item.channel_id) });
}

function forget(state: CrmBState, gone: Channel[]): void {
  state.channels = state.channels.filter((channel) => !gone.includes(channel));
}

const notSubscribed = (id: string) =>
  vendorError('NOT_SUBSCRIBED', 'the channel is not subscribed', { channel_id: id });

const eventDetails = (simulator: Simulator, channel: Channel) => ({
  channel_expiry: simulator.state.time(channel.expiresAt),
  resource_uri: `${apiDomain(simulator)}/crm/v8/${channel.module}`,
  resource_id: moduleId(channel.module),
  resource_name: channel.module,
  channel_id: channel.channelId,
});
