import type * as z from 'zod';
import type { Clock } from '../clock.ts';
import type { Armed, commonFaultSchema } from '../faults.ts';
import { InFlight } from '../in-flight.ts';
import type { ContactFields } from './contacts.ts';
import { defaultSettings, type Settings, type SettingsChange } from './settings.ts';
import type { TicketFields } from './tickets.ts';

/** What an access token stands for, as the accounts server of the same vendor tells it. */
export type Grant = { userId: string; clientId: string; scopes: string[] };

type Department = { id: string; name: string; isEnabled: boolean };
type Agent = { id: string; firstName: string; lastName: string; email: string };

export type Organization = {
  id: string;
  companyName: string;
  /** Users of the accounts server who belong to it; null: everyone who belongs to no other. */
  users: string[] | null;
  /** Another one was picked at consent: it is listed among the user's, and the token may not use it. */
  isAccessible: boolean;
  departments: Department[];
  agents: Agent[];
};

export type Contact = {
  id: string;
  orgId: string;
  fields: ContactFields;
  createdAt: number;
  modifiedAt: number;
};

export type Comment = {
  id: string;
  content: string;
  contentType: 'html' | 'plainText';
  isPublic: boolean;
  attachmentIds: string[];
  commenterId: string;
  commentedAt: number;
};

export type Attachment = {
  id: string;
  name: string;
  isPublic: boolean;
  bytes: Buffer;
  creatorId: string;
  createdAt: number;
};

export type Ticket = {
  id: string;
  /** Counted from 101 in each organization. */
  ticketNumber: string;
  orgId: string;
  contactId: string;
  fields: TicketFields;
  createdBy: string;
  /** Whole seconds, as the vendor keeps them. */
  createdAt: number;
  modifiedAt: number;
  closedAt: number | null;
  comments: Comment[];
  attachments: Attachment[];
  tags: { id: string; name: string }[];
  /** The request that made it. */
  requestNumber: number;
};

export type Fault = z.infer<typeof commonFaultSchema>;
export type ArmedFault = Armed<Fault>;

export type SeenRequest = {
  number: number;
  at: string;
  method: string;
  path: string;
  /** `GET /api/v1/tickets/{id}`; `unknown` where there is no such route. */
  route: string;
  query: Record<string, string>;
  orgId: string | null;
  /** JSON as parsed; of an upload the names and sizes of its parts; anything else as text. */
  body: unknown;
  fault: string | null;
  answer: number | 'none' | 'dropped' | 'pending';
};

/** The one there is unless a test makes others. */
export const defaultOrganization: Organization = {
  id: '60012345678',
  companyName: 'Example Support',
  users: null,
  isAccessible: true,
  departments: [
    { id: '189200000000006907', name: 'Support', isEnabled: true },
    { id: '189200000000007141', name: 'Sales', isEnabled: true },
  ],
  agents: [
    { id: '189200000000056001', firstName: 'Meera', lastName: 'Joshi', email: 'meera@example.com' },
    { id: '189200000000056002', firstName: 'Arjun', lastName: 'Das', email: 'arjun@example.com' },
  ],
};

/** Everything one simulator knows. */
export class HelpDeskState {
  readonly clock: Clock;
  settings: Settings = defaultSettings;
  organizations = new Map<string, Organization>([[defaultOrganization.id, defaultOrganization]]);
  contacts = new Map<string, Contact>();
  tickets = new Map<string, Ticket>();
  faults: ArmedFault[] = [];
  requests: SeenRequest[] = [];
  /** API requests, by organization and by route. */
  inFlight = new InFlight();
  creditsUsed: { at: number; orgId: string }[] = [];
  gone = new AbortController();
  private ticketNumbers = new Map<string, number>();
  /** Ids are numbers of 18 digits; none comes again when the simulator is restarted. */
  private lastId = 189_200_000_000_000_000n + 1_000_000n * BigInt(Math.floor(Date.now() / 1000) % 100_000_000);
  private lastRequest = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** A time as the API writes it. */
  time(ms: number): string {
    return this.settings.timesAs === 'epoch' ? String(ms) : new Date(ms).toISOString();
  }

  /** Now, in whole seconds as the vendor keeps its times. Milliseconds since 1970. */
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

  nextRequestNumber(): number {
    this.lastRequest += 1;
    return this.lastRequest;
  }

  change(changes: SettingsChange): void {
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    this.settings = { ...this.settings, ...Object.fromEntries(given) };
  }

  /** Those that the user belongs to. */
  organizationsOf(userId: string): Organization[] {
    const all = [...this.organizations.values()];
    const own = all.filter(({ users }) => users?.includes(userId));
    return own.length > 0 ? own : all.filter(({ users }) => users === null);
  }

  /** Whether a search finds by now what was made then. */
  isIndexed({ createdAt }: { createdAt: number }): boolean {
    return createdAt + 1000 * this.settings.searchDelaySeconds <= this.clock();
  }

  /** Forgets everything but the organization it was started with, and stops what is under way. */
  reset(): void {
    this.gone.abort();
    this.gone = new AbortController();
    this.settings = defaultSettings;
    this.organizations = new Map([[defaultOrganization.id, defaultOrganization]]);
    for (const map of [this.contacts, this.tickets, this.ticketNumbers]) map.clear();
    this.faults = [];
    this.requests = [];
    this.creditsUsed = [];
    this.inFlight = new InFlight();
  }
}

/** What every part of a running simulator needs. */
export type Simulator = {
  state: HelpDeskState;
  url: string;
  grantOf: (accessToken: string) => Promise<Grant | null | undefined>;
  log: (line: string) => void;
};
