import type { Connection } from '../../../../shared/domain/connections/connection.ts';
import { undeliveredSince } from '../../../../shared/domain/connections/deliveries/watch-channel.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import type { LeadReading } from '../../../../shared/integrations/crm-b/lead-record.ts';
import type { CrmBWatch, WatchedChannel } from '../../../../shared/integrations/crm-b/watch.ts';
import type { Random } from '../../../simulation/random.ts';
import type { LeadChange } from './channel-check.ts';
import { CONNECTION, found, type LeadWorld } from './lead-world.ts';

/** How CRM-B answers one kind of request. `lost`: it performs the request, but its answer is lost. */
export type Answers = 'well' | 'down' | 'throttled' | 'lost';
type Access = { grantId: string };
type NewChannel = Parameters<CrmBWatch['arm']>[1];
type VendorChannel = WatchedChannel & { token: string; isSilent: boolean };
/** A notification of CRM-B on its way. */
export type Notice = { due: number; token: string; ids: string[]; sentAt: string };

const NEVER = { kind: 'unavailable', reason: 'status 500' } as const;
const GONE = 'the grant is no longer valid (invalid_code): connect again';

/**
 * CRM-B with its leads and channels. Each kind of its requests fails on its own.
 * @param isLossy whether its channels may lose notifications
 * @param isSlow whether it sends its notifications some time after the change, instead of delivering them late
 */
export function flappingCrm(world: LeadWorld, random: Random, isLossy: boolean, isSlow = false) {
  const state = {
    records: 'well' as Answers,
    queries: 'well' as Answers,
    channels: 'well' as Answers,
    /** The grant that it accepts; undefined if the customer has revoked it. */
    grantId: 'grant-1' as string | undefined,
    /** The seconds by which its clock is ahead. */
    skew: random.pick([0, 0, -20, 20]),
    /** The most seconds that a notification takes. A late one hides the loss of an earlier one. */
    latency: random.pick(isLossy ? [5, 60] : [5, 60, 800, 2400]),
  };
  /** When it did not return a lead. Without a queue, the messages repeat themselves. */
  const failures: number[] = [];
  const leads = new Map<string, LeadChange>();
  const notices: Notice[] = [];
  let channels: VendorChannel[] = [];
  const live = () => channels.filter(({ expires_at }) => expires_at > world.now);
  const row = () => world.all('connections')[0] as Connection;

  /** Ends the grant of a request if the vendor no longer accepts it, as the access tokens do. */
  const reconnectNeeded = async ({ grantId }: Access): Promise<boolean> => {
    if (grantId === state.grantId) return false;
    const needed = { at: world.now, reason: GONE };
    const gap = undeliveredSince(row(), new Date(world.ms), new Date(world.ms));
    if (row().reconnect_needed === undefined)
      await world.stores.grants.markReconnectNeeded(CONNECTION, grantId, needed, gap);
    return true;
  };
  const channelRequest = async (access: Access, act: () => object, fails: object = NEVER): Promise<object> => {
    world.pass(random.whole(0, 2));
    if (await reconnectNeeded(access)) return { kind: 'reconnect_needed', reason: GONE };
    if (state.channels === 'lost') act();
    return state.channels === 'well' ? act() : state.channels === 'lost' ? { kind: 'unknown', reason: 'lost' } : fails;
  };

  const watch = {
    list: (access: Access, id?: string) =>
      channelRequest(access, () => ({
        kind: 'listed',
        channels: structuredClone(live().filter((one) => id === undefined || one.id === id)),
      })),
    arm: (access: Access, { id, token, notifyUrl: notify_url, expiresAt }: NewChannel) =>
      channelRequest(access, () => {
        const expires_at = expiresAt.toISOString();
        channels.push({ id, token, notify_url, expires_at, isComplete: true, isSilent: false });
        return { kind: 'armed', expires_at };
      }),
    renew: (access: Access, { id, expiresAt }: NewChannel) =>
      channelRequest(access, () => {
        const channel = live().find((one) => one.id === id);
        if (!channel) return { kind: 'gone' };
        channel.expires_at = expiresAt.toISOString();
        return { kind: 'armed', expires_at: channel.expires_at };
      }),
    stop: (access: Access, id: string) =>
      channelRequest(access, () => {
        const isKnown = live().some((one) => one.id === id);
        channels = channels.filter((one) => one.id !== id);
        return { kind: isKnown ? 'stopped' : 'gone' };
      }),
  };

  const query = async <Found>(access: Access, found: () => Found): Promise<Found | object> => {
    world.pass(random.whole(0, 4));
    if (await reconnectNeeded(access)) return { ...NEVER, reason: GONE };
    const result = found();
    world.pass(random.whole(0, 4));
    return state.queries === 'well' ? result : NEVER;
  };
  const toSecond = (at: string) => `${at.slice(0, 19)}.000Z`;
  const leadsChanged = (access: Access, { from, to }: { from: Date; to: Date }, most: number) =>
    query(access, () => {
      const [first, last] = [toSecond(from.toISOString()), to.toISOString()];
      const changed = [...leads.values()]
        .filter(({ modified_at }) => modified_at >= first && modified_at <= last)
        .sort((one, other) => (one.modified_at < other.modified_at ? -1 : 1));
      return { kind: 'found', leads: changed.slice(0, most), complete: changed.length <= most };
    });

  const fetchLead = async (connection: Connection, lead: string): Promise<LeadReading> => {
    world.pass(random.whole(0, 3));
    if (await reconnectNeeded({ grantId: connection.grant?.id ?? '' }))
      return { kind: 'unavailable', reason: GONE, isFinal: true, needsConsent: true };
    if (state.records !== 'well' && !world.leadQueue.refusal) failures.push(world.ms);
    if (state.records === 'throttled') return { ...NEVER, reason: 'status 429', retryAfterSeconds: 300 };
    const changedAt = leads.get(lead)?.modified_at;
    return state.records === 'well'
      ? { ...found({ lead_id: lead, phones: [phoneOf(lead)] }), ...(changedAt && { changedAt }) }
      : NEVER;
  };

  /** Changes a lead. Live channels notify the webhook, unless they are silent. */
  const change = (id: string): void => {
    const at = secondsAfter(new Date(world.ms), state.skew);
    const modified_at = toSecond(at);
    leads.set(id, { id, created_at: leads.get(id)?.created_at ?? modified_at, modified_at });
    for (const { token, isSilent } of live()) {
      if (isSilent) continue;
      const due = world.ms + random.whole(0, state.latency) * 1000;
      const sentAt = isSlow ? secondsAfter(at, (due - world.ms) / 1000) : at;
      notices.push({ due, token, ids: [id], sentAt });
      if (random.chance(0.05)) notices.push({ due: due + 90_000, token, ids: [id], sentAt: at });
    }
  };

  const ports = world.outside({ fetchLead, leadsChanged });
  return {
    state,
    failures,
    notices,
    leads,
    ...ports,
    watch: world.outside(watch),
    accessTo: ({ grant }: Connection): Access => ({ grantId: grant?.id ?? '' }),
    leadsWithDisposition: (access: Access, _wanted: object) =>
      query(access, () => ({ kind: 'found', ids: [...leads.keys()].slice(0, 2) })),
    change,
    /** Removes the notifications that have arrived. */
    arrived: (at: number): Notice[] => {
      const all = notices.splice(0);
      notices.push(...all.filter(({ due }) => due > at));
      return all.filter(({ due }) => due <= at);
    },
    loseChannels: () => {
      channels = [];
    },
    silence: () => {
      for (const channel of channels) channel.isSilent = true;
    },
    row,
  };
}

const phoneOf = (lead: string): string => `98765 4${lead}`;
