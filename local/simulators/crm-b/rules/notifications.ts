import { deliver } from '../../kit/delivery.ts';
import { delay } from '../../kit/faults.ts';
import type { Change, Channel, HeldNotification, Operation, SentNotification } from '../model.ts';
import type { CrmBState } from '../state.ts';
import { activeChannels } from './channels.ts';

/** The names of operations in subscriptions, which differ from those in notifications. */
const eventNames: Record<Operation, string> = { insert: 'create', update: 'edit', delete: 'delete' };
const TIMEOUT_SECONDS = 20;

/**
 * Notifies every active channel of the organization about changed leads, as the settings say. A failed notification is
 * not repeated, because the vendor documents no retry.
 * @param isRelated whether the change is a record that is related to the leads
 */
export function notify(
  state: CrmBState,
  org: string,
  operation: Operation,
  changes: Change[],
  isRelated = false,
): void {
  const { mode, idsPerNotification } = state.settings.notifications;
  for (const channel of activeChannels(state)) {
    if (channel.org !== org || channel.module !== 'Leads' || channel.silent || mode === 'drop') continue;
    if (!channel.events.includes(eventNames[operation]) && !channel.events.includes('all')) continue;
    if (isRelated && !channel.relatedActions) continue;
    const matching = changes.filter((change) => operation !== 'update' || isRelated || meetsCondition(channel, change));
    for (let start = 0; start < matching.length; start += idsPerNotification) {
      const part = matching.slice(start, start + idsPerNotification);
      const ids = part.map(({ id }) => id);
      const notification = { channel, operation, ids, body: bodyOf(state, channel, operation, part) };
      if (mode === 'hold') state.held.push(notification);
      else send(state, notification);
    }
  }
}

/** Sends the held notifications. @returns their number */
export function release(state: CrmBState): number {
  const { held } = state;
  state.held = [];
  for (const notification of held) send(state, notification);
  return held.length;
}

function send(state: CrmBState, notification: HeldNotification): void {
  const resetSignal = state.resetController.signal;
  state.pending.add(notification);
  deliverCopies(state, notification, resetSignal)
    .catch((error: unknown) => !resetSignal.aborted && state.log(`A notification failed: ${error}`))
    .finally(() => state.pending.delete(notification));
}

async function deliverCopies(
  state: CrmBState,
  { channel, body, ids, operation }: HeldNotification,
  resetSignal: AbortSignal,
): Promise<void> {
  const { copies, delaySeconds } = state.settings.notifications;
  if (delaySeconds > 0) await delay(delaySeconds / state.settings.speed, resetSignal);
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
      const answer = await deliver(url, body, { timeoutSeconds: TIMEOUT_SECONDS, resetSignal });
      sent.answers.push(answer);
      state.log(`${operation} of ${ids.length} to channel ${channelId} -> ${answer}`);
    }),
  );
}

/** The body as observed in production: no signature besides the token, and a resource_uri of an older version. */
function bodyOf(state: CrmBState, channel: Channel, operation: Operation, changes: Change[]): string {
  const { idsAs, channelIdAs } = state.settings.notifications;
  const ids = changes.map(({ id }) => id);
  const text = JSON.stringify({
    server_time: state.clock(),
    affected_values: channel.withValues
      ? changes.map(({ id, fields }) => ({ record_id: id, values: fields }))
      : undefined,
    query_params: Object.fromEntries(new URL(channel.notifyUrl).searchParams),
    module: channel.module,
    resource_uri: `${state.apiDomain()}/crm/v2/${channel.module}`,
    ids: idsAs === 'numbers' ? '@ids' : ids,
    affected_fields:
      operation === 'update' ? changes.map(({ id, fields }) => ({ [id]: Object.keys(fields) })) : undefined,
    operation,
    channel_id: channelIdAs === 'number' ? '@channel' : channel.channelId,
    token: channel.token,
  });
  // A JavaScript number would change an id of 19 digits, so the digits are inserted as text.
  return text.replace('"ids":"@ids"', `"ids":[${ids.join(',')}]`).replace('"@channel"', channel.channelId);
}

type Group = { field?: { api_name?: string }; group?: Group[]; group_operator?: string };

/** Returns whether an edit changes the fields that the channel's field selections name. */
function meetsCondition({ conditions }: Channel, { fields }: Change): boolean {
  if (!conditions || conditions.length === 0) return true;
  const isMet = ({ field, group, group_operator: operator }: Group): boolean => {
    if (field?.api_name) return field.api_name in fields;
    const parts = (group ?? []).map(isMet);
    return operator?.toLowerCase() === 'and' ? parts.every(Boolean) : parts.some(Boolean);
  };
  return conditions.some((condition) => isMet((condition as { field_selection?: Group }).field_selection ?? {}));
}
