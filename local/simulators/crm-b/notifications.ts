import { setTimeout as sleep } from 'node:timers/promises';
import { apiDomain, type Simulator } from './state.ts';
import { activeChannels, type Channel } from './watch.ts';

export type Operation = 'insert' | 'update' | 'delete';

/** A record and the fields whose change is told. */
export type Change = { id: string; fields: Record<string, unknown> };

export type HeldNotification = { channel: Channel; body: string; ids: string[]; operation: Operation };

/** A notification that was sent, with the answer of every copy. */
export type SentNotification = {
  at: string;
  channelId: string;
  url: string;
  operation: Operation;
  ids: string[];
  body: unknown;
  answers: (number | 'timeout' | 'unreachable')[];
};

/** What subscriptions call what notifications call otherwise. */
const eventNames: Record<Operation, string> = { insert: 'create', update: 'edit', delete: 'delete' };
const timeoutMilliseconds = 20_000;

/**
 * Tells every active channel of the org about changed leads: promptly, late, held, doubled or not at all. Nothing is
 * sent again after a failure: the vendor documents no retry.
 */
export function notify(
  simulator: Simulator,
  org: string,
  operation: Operation,
  changes: Change[],
  isRelated = false,
): void {
  const { state } = simulator;
  const { mode, idsPerNotification } = state.settings.notifications;
  for (const channel of activeChannels(state)) {
    if (channel.org !== org || channel.module !== 'Leads' || channel.silent || mode === 'drop') continue;
    if (!channel.events.includes(eventNames[operation]) && !channel.events.includes('all')) continue;
    if (isRelated && !channel.relatedActions) continue;
    const told = changes.filter((change) => operation !== 'update' || isRelated || conditionMet(channel, change));
    for (let start = 0; start < told.length; start += idsPerNotification) {
      const part = told.slice(start, start + idsPerNotification);
      const notification = {
        channel,
        operation,
        ids: part.map(({ id }) => id),
        body: bodyOf(simulator, channel, operation, part),
      };
      if (mode === 'hold') state.held.push(notification);
      else send(simulator, notification);
    }
  }
}

/** Sends what was held. */
export function release(simulator: Simulator): number {
  const { held } = simulator.state;
  simulator.state.held = [];
  for (const notification of held) send(simulator, notification);
  return held.length;
}

function send(simulator: Simulator, notification: HeldNotification): void {
  const { underWay } = simulator.state;
  underWay.add(notification);
  deliver(simulator, notification)
    .catch((error: unknown) => simulator.log(`a notification broke: ${error}`))
    .finally(() => underWay.delete(notification));
}

async function deliver({ state, log }: Simulator, { channel, body, ids, operation }: HeldNotification): Promise<void> {
  const { signal } = state.gone;
  const { copies, delaySeconds } = state.settings.notifications;
  if (delaySeconds > 0) {
    const waited = await sleep((1000 * delaySeconds) / state.settings.speed, true, { signal }).catch(() => false);
    if (!waited) return;
  }
  const { channelId, notifyUrl: url } = channel;
  const sent: SentNotification = {
    at: state.time(),
    channelId,
    url,
    operation,
    ids,
    body: JSON.parse(body),
    answers: [],
  };
  state.sent.push(sent);
  await Promise.all(
    Array.from({ length: copies }, async () => {
      const answer = await post(url, body, signal);
      sent.answers.push(answer);
      log(`${operation} of ${ids.length} to channel ${channelId} -> ${answer}`);
    }),
  );
}

async function post(url: string, body: string, gone: AbortSignal): Promise<number | 'timeout' | 'unreachable'> {
  const timeout = AbortSignal.timeout(timeoutMilliseconds);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([timeout, gone]),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return timeout.aborted ? 'timeout' : 'unreachable';
  }
}

/** The body as seen in production: no signature but the token, and a resource_uri of an older version. */
function bodyOf(simulator: Simulator, channel: Channel, operation: Operation, changes: Change[]): string {
  const { settings, clock } = simulator.state;
  const { idsAs, channelIdAs } = settings.notifications;
  const ids = changes.map(({ id }) => id);
  const text = JSON.stringify({
    server_time: clock(),
    affected_values: channel.withValues
      ? changes.map(({ id, fields }) => ({ record_id: id, values: fields }))
      : undefined,
    query_params: Object.fromEntries(new URL(channel.notifyUrl).searchParams),
    module: channel.module,
    resource_uri: `${apiDomain(simulator)}/crm/v2/${channel.module}`,
    ids: idsAs === 'numbers' ? '@ids' : ids,
    affected_fields:
      operation === 'update' ? changes.map(({ id, fields }) => ({ [id]: Object.keys(fields) })) : undefined,
    operation,
    channel_id: channelIdAs === 'number' ? '@channel' : channel.channelId,
    token: channel.token,
  });
  // Written as digits, so that not even an id of 19 digits changes on its way out.
  return text.replace('"ids":"@ids"', `"ids":[${ids.join(',')}]`).replace('"@channel"', channel.channelId);
}

type Group = { field?: { api_name?: string }; group?: Group[]; group_operator?: string };

/** A field selection: edits are told only where they touch the fields it names. */
function conditionMet({ conditions }: Channel, { fields }: Change): boolean {
  if (!conditions || conditions.length === 0) return true;
  const met = ({ field, group, group_operator: operator }: Group): boolean => {
    if (field?.api_name) return field.api_name in fields;
    const parts = (group ?? []).map(met);
    return operator?.toLowerCase() === 'and' ? parts.every(Boolean) : parts.some(Boolean);
  };
  return conditions.some((condition) => met((condition as { field_selection?: Group }).field_selection ?? {}));
}
