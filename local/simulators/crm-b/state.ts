import type { Clock } from '../kit/clock.ts';
import { Credits } from '../kit/credits.ts';
import type { Journal } from '../kit/journal.ts';
import type { User } from '../zoho-accounts/model.ts';
import type { AccountsState } from '../zoho-accounts/state.ts';
import type { Fault } from './faults.ts';
import { LeadFields } from './fields.ts';
import type { Channel, HeldNotification, Lead, SeenRequest, SentNotification, Written } from './model.ts';
import { changed, defaultSettings, type Settings, type SettingsChange } from './settings.ts';
import { vendorTime } from './times.ts';

/** The complete state of the CRM, except users and grants, which belong to the accounts server. */
export class CrmBState {
  readonly clock: Clock;
  readonly accounts: AccountsState;
  readonly journal: Journal<SeenRequest, Fault>;
  readonly log: (line: string) => void;
  settings: Settings = defaultSettings;
  fields = new LeadFields();
  leads = new Map<string, Lead>();
  written: Written[] = [];
  channels: Channel[] = [];
  sent: SentNotification[] = [];
  held: HeldNotification[] = [];
  credits = new Credits();
  /** Notifications that wait or are being delivered. */
  pending = new Set<object>();
  resetController = new AbortController();
  /** The vendor's ids have 15 digits. A restarted simulator does not repeat one. */
  private lastId = 554_000_000_000_000 + 1000 * (Math.floor(Date.now() / 1000) % 1_000_000_000);

  constructor(accounts: AccountsState, journal: Journal<SeenRequest, Fault>, log: (line: string) => void) {
    this.accounts = accounts;
    this.clock = accounts.clock;
    this.journal = journal;
    this.log = log;
  }

  /** Writes a time as the account does. */
  time(ms = this.clock()): string {
    return vendorTime(ms, this.settings.offset);
  }

  nextId(): string {
    this.lastId += 1;
    return String(this.lastId);
  }

  change(changes: SettingsChange): void {
    this.settings = changed(this.settings, changes);
  }

  user(id: string): { name: string; id: string; email: string } {
    return this.accounts.user(id);
  }

  /** @throws if no such user exists */
  someUser(id?: string | null, org?: string): User {
    return this.accounts.someUser(id, org);
  }

  users(): User[] {
    return [...this.accounts.users.values()];
  }

  apiDomain(): string {
    return this.accounts.apiDomain();
  }

  /** Forgets everything except the first clients and users, and stops notifications and delayed answers. */
  reset(): void {
    this.accounts.reset();
    this.resetController.abort();
    this.resetController = new AbortController();
    this.settings = defaultSettings;
    this.fields = new LeadFields();
    this.credits = new Credits();
    this.leads.clear();
    this.pending.clear();
    this.written = [];
    this.channels = [];
    this.sent = [];
    this.held = [];
  }
}
