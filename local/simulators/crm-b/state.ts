import type { Clock } from '../clock.ts';
import { InFlight } from '../in-flight.ts';
import type { ArmedFault } from './faults.ts';
import { LeadFields } from './fields.ts';
import type { Code, RefreshToken } from './grants.ts';
import type { HeldNotification, SentNotification } from './notifications.ts';
import { changed, defaultSettings, type Settings, type SettingsChange } from './settings.ts';
import { vendorTime } from './times.ts';
import type { Channel } from './watch.ts';

/** An OAuth client as the API console registers it. */
export type Client = {
  id: string;
  secret: string;
  /** Any loopback http address where none is given. */
  redirectUris?: string[];
  /** Where it is registered; everywhere where none is given. */
  dataCenters?: string[];
};

/** A user of one of the CRM's orgs; what one org has, no other sees. */
export type User = { id: string; name: string; email: string; org: string };

export type Lead = {
  id: string;
  org: string;
  /** Every field that is set, by its API name; owner and people as user ids. */
  fields: Record<string, unknown>;
  ownerId: string;
  createdBy: string;
  modifiedBy: string;
  createdAt: number;
  modifiedAt: number;
  lastActivityAt: number | null;
};

/** A call or a note as it was written. */
export type Written = {
  id: string;
  org: string;
  module: 'Calls' | 'Notes';
  /** The lead it hangs on; without one it is found by its id alone. */
  leadId: string | null;
  fields: Record<string, unknown>;
  createdBy: string;
  createdAt: number;
  /** The request that made it, and what that one said about automation (undefined: nothing). */
  requestNumber: number;
  trigger: unknown;
};

export type SeenRequest = {
  number: number;
  at: string;
  side: 'accounts' | 'api';
  method: string;
  path: string;
  /** `GET /crm/v8/Leads/{id}`; `unknown` where there is no such route. */
  route: string;
  query: Record<string, string>;
  /** JSON as parsed, a form as an object, anything else as text. */
  body: unknown;
  /** The access token it came with, as sent. */
  token: string | null;
  fault: string | null;
  answer: number | 'none' | 'dropped' | 'pending';
};

const firstUsers: User[] = [
  { id: '554000000000101', name: 'Asha Rao', email: 'asha@example.com', org: 'main' },
  { id: '554000000000102', name: 'Vikram Nair', email: 'vikram@example.com', org: 'main' },
];

/** Everything one simulator knows. */
export class CrmBState {
  readonly clock: Clock;
  private readonly firstClients: Client[];
  settings: Settings = defaultSettings;
  clients = new Map<string, Client>();
  users = new Map<string, User>();
  fields = new LeadFields();
  codes: Code[] = [];
  refreshTokens: RefreshToken[] = [];
  /** Users who consented to a client before: they get no second refresh token unasked. */
  consents = new Set<string>();
  leads = new Map<string, Lead>();
  written: Written[] = [];
  channels: Channel[] = [];
  sent: SentNotification[] = [];
  held: HeldNotification[] = [];
  faults: ArmedFault[] = [];
  requests: SeenRequest[] = [];
  /** API requests, by org and app. */
  inFlight = new InFlight();
  creditsUsed: { at: number; org: string; credits: number }[] = [];
  /** Notifications that wait or are being delivered. */
  underWay = new Set<object>();
  gone = new AbortController();
  /** Ids are numbers of 15 digits, as in the vendor's documents; none comes again when the simulator is restarted. */
  private lastId = 554_000_000_000_000 + 1000 * (Math.floor(Date.now() / 1000) % 1_000_000_000);
  private lastRequest = 0;

  constructor(clock: Clock, clients: Client[]) {
    this.clock = clock;
    this.firstClients = clients;
    this.seed();
  }

  /** A time as the account writes it. */
  time(ms = this.clock()): string {
    return vendorTime(ms, this.settings.offset);
  }

  nextId(): string {
    this.lastId += 1;
    return String(this.lastId);
  }

  nextRequestNumber(): number {
    this.lastRequest += 1;
    return this.lastRequest;
  }

  change(changes: SettingsChange): void {
    this.settings = changed(this.settings, changes);
  }

  user(id: string): { name: string; id: string; email: string } {
    const { name = 'Unknown', email = '' } = this.users.get(id) ?? {};
    return { name, id, email };
  }

  /** The user, or the first one there is. */
  someUser(id?: string | null, org?: string): User {
    const found = id ? this.users.get(id) : [...this.users.values()].find((user) => !org || user.org === org);
    if (!found) throw new Error(`there is no user ${id ?? ''} ${org ? `of the org ${org}` : ''}`);
    return found;
  }

  /** Forgets everything but the clients and users it was started with, and stops what is under way. */
  reset(): void {
    this.gone.abort();
    this.gone = new AbortController();
    this.settings = defaultSettings;
    this.fields = new LeadFields();
    this.inFlight = new InFlight();
    for (const map of [this.clients, this.users, this.leads]) map.clear();
    this.consents.clear();
    this.underWay.clear();
    for (const name of [
      'codes',
      'refreshTokens',
      'written',
      'channels',
      'sent',
      'held',
      'faults',
      'requests',
      'creditsUsed',
    ] as const)
      this[name] = [];
    this.seed();
  }

  private seed(): void {
    for (const client of this.firstClients) this.clients.set(client.id, client);
    for (const user of firstUsers) this.users.set(user.id, user);
  }
}

/** What every part of a running simulator needs. */
export type Simulator = {
  state: CrmBState;
  /** The API's own address, and that of the accounts server: two origins, as the vendor's are. */
  url: string;
  accountsUrl: string;
  log: (line: string) => void;
};

export const apiDomain = ({ state, url }: Simulator) => state.settings.apiDomain ?? url;
export const accountsServer = ({ state, accountsUrl }: Simulator) => state.settings.accountsServer ?? accountsUrl;
