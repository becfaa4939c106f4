import type { Clock } from '../kit/clock.ts';
import { Credits } from '../kit/credits.ts';
import { Journal } from '../kit/journal.ts';
import { changesOf } from '../kit/settings.ts';
import type { Fault } from './faults.ts';
import { type Contact, defaultOrganization, type Organization, type SeenRequest, type Ticket } from './model.ts';
import { defaultSettings, type Settings, type SettingsChange, settingsSchema } from './settings.ts';

/** The complete state of the help desk. */
export class HelpDeskState {
  readonly clock: Clock;
  readonly journal = new Journal<SeenRequest, Fault>();
  /** Its own address, for the links in records. */
  url = '';
  settings: Settings = defaultSettings;
  organizations = new Map<string, Organization>([[defaultOrganization.id, defaultOrganization]]);
  contacts = new Map<string, Contact>();
  tickets = new Map<string, Ticket>();
  trash = new Map<string, Ticket>();
  credits = new Credits();
  resetController = new AbortController();
  private ticketNumbers = new Map<string, number>();
  /** The vendor's ids have 18 digits. A restarted simulator does not repeat one. */
  private lastId = 189_200_000_000_000_000n + 1_000_000n * BigInt(Math.floor(Date.now() / 1000) % 100_000_000);

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Writes a time as the API does. */
  time(ms: number): string {
    return this.settings.timesAs === 'epoch' ? String(ms) : new Date(ms).toISOString();
  }

  /** Returns the current time in milliseconds, cut to the second, as the vendor stores times. */
  second(): number {
    return 1000 * Math.floor(this.clock() / 1000);
  }

  nextId(): string {
    this.lastId += 1n;
    return String(this.lastId);
  }

  nextTicketNumber(orgId: string): string {
    const next = (this.ticketNumbers.get(orgId) ?? 100) + 1;
    this.ticketNumbers.set(orgId, next);
    return String(next);
  }

  change(changes: SettingsChange): void {
    this.settings = { ...this.settings, ...changesOf(settingsSchema, changes) };
  }

  /** Returns the organizations of a user, or the ones open to everyone if there are none. */
  organizationsOf(userId: string): Organization[] {
    const all = [...this.organizations.values()];
    const own = all.filter(({ users }) => users?.includes(userId));
    return own.length > 0 ? own : all.filter(({ users }) => users === null);
  }

  /** Returns whether a search already finds a record. */
  isIndexed({ createdAt }: { createdAt: number }): boolean {
    return createdAt + 1000 * this.settings.searchDelaySeconds <= this.clock();
  }

  /** Forgets everything except the default organization, and stops delayed answers. */
  reset(): void {
    this.resetController.abort();
    this.resetController = new AbortController();
    this.settings = defaultSettings;
    this.organizations = new Map([[defaultOrganization.id, defaultOrganization]]);
    this.contacts.clear();
    this.tickets.clear();
    this.trash.clear();
    this.ticketNumbers.clear();
    this.credits = new Credits();
    this.journal.reset();
  }
}
