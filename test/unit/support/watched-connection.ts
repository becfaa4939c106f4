import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { hashWebhookToken, isTokenOf } from '../../../shared/domain/connections/deliveries/webhook-token.ts';
import type { ChangedLead } from '../../../shared/integrations/crm-b/coql.ts';
import type { WatchedChannel } from '../../../shared/integrations/crm-b/watch.ts';
import type { LeadEvent } from '../../../shared/messages/lead-event.ts';
import { armChannel } from '../../../shared/operations/connections/arm-channel.ts';
import {
  type CheckWatchChannelsDeps,
  checkWatchChannels,
} from '../../../shared/operations/connections/check-watch-channels.ts';
import {
  type RenewWatchChannelsDeps,
  renewWatchChannels,
} from '../../../shared/operations/connections/renew-watch-channels.ts';
import type { SundaySweepDeps } from '../../../shared/operations/leads/sunday-sweep.ts';
import { aToken } from '../../support/connections/access-token.ts';
import { aConnection, aGrant } from './worlds/items.ts';
import { aWorld, START } from './worlds/world.ts';

export const GRANT = aGrant({ granted_at: START });

/** A channel at CRM-B with its token, which CRM-B omits from lists. */
type VendorChannel = WatchedChannel & { token: string; isSilent: boolean };
type Deps = CheckWatchChannelsDeps & RenewWatchChannelsDeps & SundaySweepDeps;

/** A connection of CRM-B, and CRM-B with its channels and leads. */
export function aWatchedConnection(settings: Partial<Connection> = {}) {
  const stored = aConnection({ grant: GRANT, ...settings });
  let repeatsWrites = false;
  const base = aWorld({ connections: [stored] }, (send) => async (command) => {
    if (repeatsWrites && (command as object).constructor.name === 'UpdateCommand') await send(command);
    return send(command);
  });
  const leadQueue = base.queue<LeadEvent>();
  let channels: VendorChannel[] = [];
  const leads: ChangedLead[] = [];
  const answers = new Map<string, object | Error>();
  const live = () => channels.filter(({ expires_at }) => expires_at > base.now);
  const toSecond = (instant: string) => `${instant.slice(0, 19)}.000Z`;

  /** A port of CRM-B whose next answers a test may replace, by the name of the request. */
  const remote = <Port extends object>(port: Port): Port =>
    base.outside(
      Object.fromEntries(
        Object.entries(port).map(([name, act]) => [
          name,
          async (...args: unknown[]) => {
            const answer = answers.get(name);
            if (answer instanceof Error) throw answer;
            return answer ?? act(...args);
          },
        ]),
      ) as Port,
    );

  const deps: Deps = {
    ...base.common,
    watch: remote<Deps['watch']>({
      arm: async (_access, { id, token, notifyUrl: notify_url, expiresAt }) => {
        const expires_at = expiresAt.toISOString();
        channels.push({ id, token, notify_url, expires_at, isComplete: true, isSilent: false });
        return { kind: 'armed', expires_at };
      },
      renew: async (_access, { id, expiresAt }) => {
        const channel = live().find((one) => one.id === id);
        if (!channel) return { kind: 'gone' };
        channel.expires_at = expiresAt.toISOString();
        return { kind: 'armed', expires_at: channel.expires_at };
      },
      list: async (_access, id) => ({
        kind: 'listed',
        channels: structuredClone(live().filter((channel) => id === undefined || channel.id === id)),
      }),
      stop: async (_access, id) => {
        const known = live().some((one) => one.id === id);
        channels = channels.filter((one) => one.id !== id);
        return { kind: known ? 'stopped' : 'gone' };
      },
    }),
    ...remote<Pick<Deps, 'leadsChanged'>>({
      leadsChanged: async (_access, { from, to }, most) => {
        const [first, last] = [toSecond(from.toISOString()), to.toISOString()];
        const found = leads
          .filter(({ modified_at }) => modified_at >= first && modified_at <= last)
          .sort((one, other) => (one.modified_at < other.modified_at ? -1 : 1));
        return { kind: 'found', leads: found.slice(0, most), complete: found.length <= most };
      },
    }),
    ...remote<Pick<Deps, 'leadsWithDisposition'>>({
      leadsWithDisposition: async () => ({ kind: 'found', ids: [] }),
    }),
    leadQueue,
    accessTo: () => ({ apiDomain: GRANT.api_domain, token: async () => aToken('access') }),
    timeLeftMs: () => 800_000,
  };

  const row = () => base.all('connections')[0] as Connection;
  return Object.assign(base, {
    deps,
    /** Answers of CRM-B that replace the usual ones, by the name of the request. */
    answers,
    queued: leadQueue.sent,
    warnings: () => base.logged.map(({ message, reason }) => `${message}: ${reason}`),
    row,
    change: (next: Partial<Connection>, ...remove: (keyof Connection)[]) => {
      const changed = { ...row(), ...next };
      for (const attribute of remove) delete changed[attribute];
      base.put('connections', changed);
    },
    /**
     * Changes a lead at CRM-B, whose live channels notify the webhook unless they are silent.
     * @param after seconds that pass first
     */
    edit: (id: string, after = 0, created_at?: string) => {
      base.pass(after);
      const modified_at = toSecond(base.now);
      const known = leads.find((lead) => lead.id === id);
      if (known) known.modified_at = modified_at;
      else leads.push({ id, created_at: created_at ?? modified_at, modified_at });
      for (const { token, isSilent } of live()) {
        if (isSilent || !isTokenOf(row(), token, new Date(base.ms))) continue;
        const { silent_since: _, ...rest } = row();
        base.put('connections', { ...rest, last_delivery_at: base.now });
      }
    },
    /** Throws as the SDK does if the answer to a write is lost. */
    repeatWrites: () => {
      repeatsWrites = true;
    },
    /** The live channels at CRM-B. */
    channels: live,
    loseChannels: () => {
      channels = [];
    },
    silence: (isSilent = true) => {
      for (const channel of channels) channel.isSilent = isSilent;
    },
    /** The ids of the queued leads, each event once. */
    caughtUp: () => [
      ...new Map(leadQueue.sent.map(({ message }) => [message.event_id, message.lead.lead_id])).values(),
    ],
  });
}

export type WatchedConnection = ReturnType<typeof aWatchedConnection>;

export const DAY = 86_400;
export const MINUTE = 60;

export const arm = ({ deps }: WatchedConnection, keepsFormer = false) => armChannel(deps, 'conn_1', { keepsFormer });
/** @param after seconds that pass first */
export const check = (world: WatchedConnection, after = 0) => {
  world.pass(after);
  return checkWatchChannels(world.deps);
};
export const renew = (world: WatchedConnection, after = 0) => {
  world.pass(after);
  return renewWatchChannels(world.deps);
};

/** A connection whose channel was armed after a consent. @param age seconds since then */
export async function anArmedConnection(age = 0): Promise<WatchedConnection> {
  const world = aWatchedConnection();
  expect(await arm(world)).toBe(true);
  world.pass(age);
  return world;
}

/** An armed connection whose channel did not notify of a change after five minutes. It is checked 16 minutes later. */
export async function aSilentConnection(): Promise<WatchedConnection> {
  const world = await anArmedConnection();
  world.silence();
  world.edit('unreported', 5 * MINUTE);
  world.pass(16 * MINUTE);
  return world;
}

/** Expects CRM-B to have only the connection's channel, with a valid token and no traces of arming. */
export function expectInOrder(world: WatchedConnection): void {
  const [row, channels] = [world.row(), world.channels()];
  expect(channels).toHaveLength(1);
  expect(channels[0]).toMatchObject({ id: row.channel?.id, expires_at: row.channel?.expires_at });
  expect(row.token_hash).toBe(hashWebhookToken(channels[0]?.token ?? ''));
  expect(row.pending_token_hashes).toBeUndefined();
  expect(row.channel_check?.status).toBe('active');
  expect(row.catch_up_from).toBeUndefined();
  expect(isTokenOf(row, channels[0]?.token, world.deps.now())).toBe(true);
}

/** Checks again, and expects a healthy connection. */
export async function expectRepaired(world: WatchedConnection): Promise<void> {
  await check(world);
  expectInOrder(world);
}
