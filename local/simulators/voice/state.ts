import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { CreateCall } from './create-call.ts';
import { type DialedScript, defaultScript, defaultSettings, type Script, type Settings } from './scripts.ts';
import type { VendorCall } from './vendor-call.ts';

/** What every part of a running simulator needs. */
export type Simulator = {
  state: SimulatorState;
  /** The vendor's API. */
  url: string;
  /** Where recordings lie: another origin, as the vendor's bucket is. */
  storageUrl: string;
  apiKey: string;
  log: (line: string) => void;
};

/** One try to hand over a message: the HTTP status the receiver answered, or why there was none. */
export type Delivery = { at: string; attempt: number; answer: number | 'timeout' | 'unreachable' };

export type SentMessage = { type: string; status?: string; endedReason?: string; deliveries: Delivery[] };

/** A call as the simulator holds it: the vendor's object and what only a simulator may know. */
export type HeldCall = {
  call: VendorCall;
  request: CreateCall;
  /** The customer's number. */
  number: string;
  /** 1 for the number's first accepted call. */
  attempt: number;
  script: DialedScript;
  controlToken: string;
  rang: boolean;
  live: boolean;
  deleted: boolean;
  /** On the clock, for lateness: the call's own endedAt is simulated time. */
  createdAtMs: number;
  endedAtMs?: number;
  messages: SentMessage[];
  /** Ends the call from outside (control URL). */
  hangUp: AbortController;
  /** Stops the call's timers and deliveries for good (reset, stop). */
  gone: AbortController;
};

/** A POST /call that passed the key and the schema, whatever became of it. */
export type ReceivedRequest = {
  at: string;
  number: string;
  behaviour: Script['behaviour'];
  answer: number | 'none' | 'dropped';
  callId?: string;
  body: CreateCall;
};

/** Everything one simulator knows. */
export class SimulatorState {
  readonly orgId = randomUUID();
  readonly clock: Clock;
  readonly signingKey = randomBytes(32);
  settings: Settings = { ...defaultSettings };
  calls: HeldCall[] = [];
  requests: ReceivedRequest[] = [];
  maxLive = 0;
  /** Calls that still have something to do, and messages still being delivered or retried. */
  underWay = new Set<object>();
  private byNumber = new Map<string, Script[]>();
  private fallback: Script = defaultScript;
  private ringCounts = new Map<string, number>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  now(): string {
    return new Date(this.clock()).toISOString();
  }

  setScripts(number: string, scripts: Script[]): void {
    this.byNumber.set(number, [...scripts]);
  }

  setDefaultScript(script: Script): void {
    this.fallback = script;
  }

  /** The script the number's next attempt follows. */
  nextScript(number: string): Script {
    return this.byNumber.get(number)?.[0] ?? this.fallback;
  }

  /** The attempt happened: the number's next script comes up; the last one stays. */
  useScript(number: string): void {
    const queue = this.byNumber.get(number);
    if (queue && queue.length > 1) queue.shift();
  }

  ring(held: HeldCall): void {
    if (held.rang) return;
    held.rang = true;
    this.ringCounts.set(held.number, this.rings(held.number) + 1);
  }

  rings(number: string): number {
    return this.ringCounts.get(number) ?? 0;
  }

  allRings(): { total: number; byNumber: Record<string, number> } {
    const byNumber = Object.fromEntries(this.ringCounts);
    return { total: Object.values(byNumber).reduce((sum, count) => sum + count, 0), byNumber };
  }

  liveCount(): number {
    return this.calls.reduce((count, held) => count + (held.live ? 1 : 0), 0);
  }

  add(held: HeldCall): void {
    this.calls.push(held);
    this.maxLive = Math.max(this.maxLive, this.liveCount());
  }

  /** The call, unless it was deleted or never existed. */
  find(id: string): HeldCall | undefined {
    return this.calls.find((held) => held.call.id === id && !held.deleted);
  }

  /** Forgets calls, scripts, settings and counts, and stops what is under way. */
  reset(): void {
    for (const held of this.calls) {
      held.gone.abort();
      held.hangUp.abort();
    }
    this.underWay = new Set();
    this.settings = { ...defaultSettings };
    this.calls = [];
    this.requests = [];
    this.maxLive = 0;
    this.byNumber = new Map();
    this.fallback = defaultScript;
    this.ringCounts = new Map();
  }
}
