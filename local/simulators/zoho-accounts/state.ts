import type { Clock } from '../kit/clock.ts';
import { Journal } from '../kit/journal.ts';
import { changesOf } from '../kit/settings.ts';
import type { AccountsFault } from './faults.ts';
import { type Client, type Code, firstUsers, type Grant, type User, type ZohoRequest } from './model.ts';
import { type AccountsSettings, accountsSettingsSchema, defaultAccountsSettings } from './settings.ts';

/** The complete state of the accounts server. */
export class AccountsState {
  readonly clock: Clock;
  /** Shared with the API whose control routes control both. */
  readonly journal: Journal<ZohoRequest, AccountsFault>;
  private readonly firstClients: Client[];
  settings: AccountsSettings = defaultAccountsSettings;
  clients = new Map<string, Client>();
  users = new Map<string, User>();
  codes: Code[] = [];
  grants: Grant[] = [];
  /** Pairs of client and user with an earlier consent. A later consent needs `prompt=consent` for a refresh token. */
  consents = new Set<string>();
  resetController = new AbortController();
  private url = '';
  private apiUrl = '';

  constructor(clock: Clock, clients: Client[], journal: Journal<ZohoRequest, AccountsFault> = new Journal()) {
    this.clock = clock;
    this.firstClients = clients;
    this.journal = journal;
    this.seed();
  }

  /** Sets the simulators' own addresses. */
  setAddresses(url: string, apiUrl: string): void {
    this.url = url;
    this.apiUrl = apiUrl;
  }

  accountsServer(): string {
    return this.settings.accountsServer ?? this.url;
  }

  apiDomain(): string {
    return this.settings.apiDomain ?? this.apiUrl;
  }

  change(changes: Record<string, unknown>): void {
    this.settings = { ...this.settings, ...changesOf(accountsSettingsSchema, changes) };
  }

  user(id: string): { name: string; id: string; email: string } {
    const { name = 'Unknown', email = '' } = this.users.get(id) ?? {};
    return { name, id, email };
  }

  /** Finds a user by id, or the first one (of the organization). @throws if none exists */
  someUser(id?: string | null, org?: string): User {
    const found = id ? this.users.get(id) : [...this.users.values()].find((user) => !org || user.org === org);
    if (!found) throw new Error(`There is no user ${id ?? `of the organization ${org}`}.`);
    return found;
  }

  /** Forgets everything except the first clients and users, and stops delayed answers. */
  reset(): void {
    this.resetController.abort();
    this.resetController = new AbortController();
    this.settings = defaultAccountsSettings;
    this.clients.clear();
    this.users.clear();
    this.codes = [];
    this.grants = [];
    this.consents.clear();
    this.journal.reset();
    this.seed();
  }

  private seed(): void {
    for (const client of this.firstClients) this.clients.set(client.id, client);
    for (const user of firstUsers) this.users.set(user.id, user);
  }
}
