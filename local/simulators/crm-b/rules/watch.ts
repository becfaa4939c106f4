import type { Answer } from '../../kit/answer.ts';
import type { Channel, ItemResult } from '../model.ts';
import type { CrmBState } from '../state.ts';
import { jsonObject } from './body.ts';
import type { Caller, Handler } from './caller.ts';
import { channelsOf, checkItem, removeChannels, subscribe, type WatchItem } from './channels.ts';
import { flat, itemErrors, itemsAnswer, problems, success, vendorError } from './problems.ts';

const moduleId = (module: string) => (module === 'Leads' ? '554000000000125' : '554000000000126');

/** POST replaces a channel of the same id. The vendor advises to do this before the channel expires. */
export const enable: Handler = (state, caller) =>
  eachItem(state, caller, 201, (item, path) => {
    const problem = checkItem(state, item, path, { needsEvents: true });
    if (problem) return problem;
    removeChannels(state, channelsOf(state, caller, String(item.channel_id)));
    const subscribed = subscribe(state, caller, item);
    return success('Successfully subscribed for actions-watch of the given module', {
      events: subscribed.map((channel) => eventDetails(state, channel)),
    });
  });

/** PUT resets omitted details. PATCH keeps them, and removes events if `_delete_events` is set. */
const update =
  ({ keepsDetails }: { keepsDetails: boolean }): Handler =>
  (state, caller) =>
    eachItem(state, caller, 200, (item, path) => {
      const known = channelsOf(state, caller, String(item.channel_id));
      if (item.channel_id !== undefined && known.length === 0) return notSubscribed(String(item.channel_id));
      if (keepsDetails && item._delete_events === true) return removeEvents(state, known, item, path);
      const problem = checkItem(state, item, path, { needsEvents: !keepsDetails });
      if (problem) return problem;
      removeChannels(state, known);
      const subscribed = subscribe(state, caller, item, keepsDetails ? known : []);
      return success('Successfully updated the subscribe details', {
        events: subscribed.map((channel) => eventDetails(state, channel)),
      });
    });

export const replace: Handler = update({ keepsDetails: false });
export const patch: Handler = update({ keepsDetails: true });

export const disable: Handler = (state, caller) => {
  const ids = caller.query.get('channel_ids')?.split(',').filter(Boolean) ?? [];
  if (ids.length === 0) throw problems.missingParam('channel_ids');
  const results = ids.flatMap((id): ItemResult[] => {
    const known = channelsOf(state, caller, id);
    removeChannels(state, known);
    if (known.length === 0) return [notSubscribed(id)];
    return known.map(({ module, channelId }) =>
      success('Successfully un-subscribed from actions-watch', {
        resource_uri: `${state.apiDomain()}/crm/v8/${module}`,
        resource_id: moduleId(module),
        channel_id: channelId,
      }),
    );
  });
  return watchAnswer(state, results, 200);
};

export const details: Handler = (state, caller) => {
  const { query } = caller;
  const module = query.get('module');
  const page = Number(query.get('page') ?? 1);
  const perPage = Number(query.get('per_page') ?? 200);
  const all = channelsOf(state, caller, query.get('channel_id') ?? undefined).filter(
    (channel) => !module || channel.module === module,
  );
  const rows = all.slice((page - 1) * perPage, page * perPage);
  if (rows.length === 0) return { status: 204 };
  const watch = rows.map((channel) => ({
    notify_on_related_action: channel.relatedActions,
    return_affected_field_values: channel.withValues,
    notify_url: channel.notifyUrl,
    fields: null,
    notification_condition: channel.conditions,
    events: channel.events.map((event) => `${channel.module}.${event}`),
    token: channel.token,
    ...eventDetails(state, channel),
  }));
  const info = { per_page: perPage, count: rows.length, page, more_records: all.length > page * perPage };
  return { status: 200, json: { watch, info } };
};

function eachItem(
  state: CrmBState,
  caller: Caller,
  successStatus: number,
  work: (item: WatchItem, path: string) => ItemResult,
): Answer {
  const { watch } = jsonObject(caller.text);
  const place = { api_name: 'watch', json_path: '$.watch' };
  if (!Array.isArray(watch)) throw flat(400, 'MANDATORY_NOT_FOUND', 'required field not found', place);
  if (watch.length === 0 || watch.length > 50)
    throw flat(400, 'INVALID_DATA', 'invalid data', { ...place, maximum_length: 50 });
  const results = watch.map((item, index) => work((item ?? {}) as WatchItem, `$.watch[${index}]`));
  return watchAnswer(state, results, successStatus);
}

/** An unknown or expired channel is answered with 400, other failed items with the status of the settings. */
function watchAnswer({ settings }: CrmBState, results: ItemResult[], successStatus: number): Answer {
  const isUnknown = results.some(({ code }) => code === 'NOT_SUBSCRIBED');
  return itemsAnswer('watch', results, successStatus, isUnknown ? 400 : settings.itemErrorStatus);
}

function removeEvents(state: CrmBState, known: Channel[], item: WatchItem, path: string): ItemResult {
  if (!Array.isArray(item.events)) return itemErrors.missing('events', `${path}.events`);
  const removed = new Set(item.events);
  for (const channel of known)
    channel.events = channel.events.filter((event) => !removed.has(`${channel.module}.${event}`));
  removeChannels(
    state,
    known.filter(({ events }) => events.length === 0),
  );
  return success('Successfully removed the subscribe details', { channel_id: String(item.channel_id) });
}

const notSubscribed = (id: string) =>
  vendorError('NOT_SUBSCRIBED', 'the channel is not subscribed', { channel_id: id });

const eventDetails = (state: CrmBState, channel: Channel) => ({
  channel_expiry: state.time(channel.expiresAt),
  resource_uri: `${state.apiDomain()}/crm/v8/${channel.module}`,
  resource_id: moduleId(channel.module),
  resource_name: channel.module,
  channel_id: channel.channelId,
});
