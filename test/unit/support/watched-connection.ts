import type { Connection } from '../../../shared/domain/connections/connection.ts';
import { isTokenOf } from '../../../shared/domain/connections/webhook-token.ts';
import { secondsAfter } from '../../../shared/domain/time/instants.ts';
import type { ChangedLead } from '../../../shared/integrations/crm-b/coql.ts';
import type { WatchedChannel } from '../../../shared/integrations/crm-b/watch.ts';
import type { LeadEvent } from '../../../shared/messages/lead-event.ts';
import type { CheckWatchChannelsDeps } from '../../../shared/operations/connections/check-watch-channels.ts';
import type { RenewWatchChannelsDeps } from '../../../shared/operations/connections/renew-watch-channels.ts';
import { connectionChannelStore } from '../../../shared/stores/connections/connection-channels.ts';
import { connectionStore } from '../../../shared/stores/connections/connections.ts';
import { clientOf, database } from './database.ts';

export const START = '2026-03-02T06:00:00.000Z';
export const PUBLIC_URL = 'https://svc.example';
export const GRANT = {
  id: 'grant-1',
  data_center: 'in',
  accounts_server: 'https://accounts.zoho.in',
  api_domain: 'https://www.zohoapis.in',
  refresh_token: 'sealed',
  granted_at: START,
} as const;

/** A process that ends in the middle of a call. */
class Death extends Error {}

/** What a channel at the CRM is, besides what it lists. */
type VendorChannel = WatchedChannel & { token: string; isSilent: boolean };

type Deps = CheckWatchChannelsDeps & RenewWatchChannelsDeps;

/** A CRM-B connection, the CRM with its channels and leads, and the leads queue, all in memory and with a clock to be moved. */
export function aWatchedConnection(settings: Partial<Connection> = {}) {
  let now = new Date(START);
  const tables = database({
    connections: [
      {
        connection_id: 'conn_1',
        org_id: 'org1',
        type: 'crm-b',
        created_at: START,
        auto_call: true,
        grant: GRANT,
        ...settings,
      },
    ],
  });
  const row = () => tables.all('connections')[0] as Connection;
  const put = (next: Connection) => tables.put('connections', next);
  /** As the SDK does where the answer of a write is lost. */
  let repeatsWrites = false;
  const db = clientOf(async (command) => {
    const isWrite = (command as object).constructor.name === 'UpdateCommand';
    if (repeatsWrites && isWrite) await tables.send(command);
    return tables.send(command);
  });
  let channels: VendorChannel[] = [];
  const leads: ChangedLead[] = [];
  const queued: LeadEvent[] = [];
  const refused: string[] = [];
  const warned: string[] = [];
  const counted: string[] = [];
  /** Answers of the CRM that are not its usual ones, by the name of what is asked. */
  const answers = new Map<string, object | Error>();
  let calls = 0;
  let death: { at: number; isAfter: boolean } | undefined;

  /** Every effect is a call that the process may not survive: it dies before it, or before it hears of it. */
  const mortal =
    <Args extends unknown[], Result>(name: string, act: (...args: Args) => Result) =>
    async (...args: Args): Promise<Awaited<Result>> => {
      calls += 1;
      if (death?.at === calls && !death.isAfter) throw new Death(`before ${name}`);
      const special = answers.get(name);
      if (special instanceof Error) throw special;
      const result = (special as Awaited<Result> | undefined) ?? (await act(...args));
      if (death?.at === calls) throw new Death(`after ${name}`);
      return result;
    };

  /** A change at the CRM: told by every channel that tells anything. */
  const change = (id: string, created_at?: string) => {
    const modified_at = `${now.toISOString().slice(0, 19)}.000Z`;
    const known = leads.find((lead) => lead.id === id);
    if (known) known.modified_at = modified_at;
    else leads.push({ id, created_at: created_at ?? modified_at, modified_at });
    for (const { token, isSilent, expires_at, id: channel } of channels) {
      if (isSilent || expires_at <= now.toISOString()) continue;
      if (isTokenOf(row(), token, now)) {
        const { silent_since: _, ...rest } = row();
        put({ ...rest, last_delivery_at: now.toISOString() });
      } else refused.push(channel);
    }
  };

  const live = () => channels.filter(({ expires_at }) => expires_at > now.toISOString());

  const channelStore = connectionChannelStore(db, 'connections');
  const deps: Deps = {
    connections: {
      get: mortal('get', connectionStore(db, 'connections').get),
      async *idsOfType() {
        yield 'conn_1';
      },
    },
    channels: {
      setPending: mortal('setPending', channelStore.setPending),
      promote: mortal('promote', channelStore.promote),
      noteExpiry: mortal('noteExpiry', channelStore.noteExpiry),
      noteCheck: mortal('noteCheck', channelStore.noteCheck),
      noteSilence: mortal('noteSilence', channelStore.noteSilence),
      openGap: mortal('openGap', channelStore.openGap),
      narrowGap: mortal('narrowGap', channelStore.narrowGap),
    },
    watch: {
      arm: mortal('arm', (_access, { id, token, notifyUrl: notify_url, expiresAt }) => {
        const expires_at = expiresAt.toISOString();
        channels.push({ id, token, notify_url, expires_at, isComplete: true, isSilent: false });
        return { kind: 'armed' as const, expires_at };
      }),
      renew: mortal('renew', (_access, { id, expiresAt }) => {
        const channel = live().find((one) => one.id === id);
        if (!channel) return { kind: 'gone' as const };
        channel.expires_at = expiresAt.toISOString();
        return { kind: 'armed' as const, expires_at: channel.expires_at };
      }),
      list: mortal('list', (_access, id) => ({
        kind: 'listed' as const,
        channels: structuredClone(live().filter((channel) => id === undefined || channel.id === id)),
      })),
      stop: mortal('stop', (_access, id) => {
        const known = live().some((one) => one.id === id);
        channels = channels.filter((one) => one.id !== id);
        return { kind: known ? ('stopped' as const) : ('gone' as const) };
      }),
    },
    leadsChanged: mortal('leadsChanged', (_access, { from, to }, most) => {
      const [first, last] = [`${from.toISOString().slice(0, 19)}.000Z`, to.toISOString()];
      const found = leads
        .filter(({ modified_at }) => modified_at >= first && modified_at <= last)
        .sort((one, other) => (one.modified_at < other.modified_at ? -1 : 1));
      return { kind: 'found' as const, leads: found.slice(0, most), complete: found.length <= most };
    }),
    leadQueue: {
      sendMany: mortal('sendMany', (events) => {
        queued.push(...events);
      }),
    },
    accessTo: () => ({ apiDomain: GRANT.api_domain, token: async () => 'access' }),
    publicUrl: PUBLIC_URL,
    now: () => now,
    timeLeftMs: () => 300_000,
    random: () => 0,
    count: (name) => {
      counted.push(name);
    },
    warn: (message, { reason }) => {
      warned.push(`${message}: ${reason}`);
    },
  };

  return {
    deps,
    db,
    answers,
    queued,
    warned,
    counted,
    /** Channels whose notification was refused. */
    refused,
    change,
    get row() {
      return row();
    },
    set row(next: Connection) {
      put(next);
    },
    repeatWrites: () => {
      repeatsWrites = true;
    },
    /** At the CRM now. */
    get channels() {
      return live();
    },
    lose: () => {
      channels = [];
    },
    silence: (isSilent = true) => {
      for (const channel of channels) channel.isSilent = isSilent;
    },
    pass: (seconds: number) => {
      now = new Date(secondsAfter(now, seconds));
    },
    /** @returns how many calls `work` makes; it may end in a death. */
    async countedCalls(work: () => Promise<unknown>): Promise<number> {
      calls = 0;
      await work();
      return calls;
    },
    /** The process dies at the k-th call. @param isAfter when the call has done what it does. */
    async dyingAt(at: number, isAfter: boolean, work: () => Promise<unknown>): Promise<void> {
      calls = 0;
      death = { at, isAfter };
      await work().catch((error: unknown) => {
        if (!(error instanceof Death)) throw error;
      });
      death = undefined;
    },
    /** The ids of the leads that were queued, each once however often its event was. */
    caughtUp: () => [...new Map(queued.map((event) => [event.event_id, event.lead.lead_id])).values()],
  };
}

export type WatchedConnection = ReturnType<typeof aWatchedConnection>;
