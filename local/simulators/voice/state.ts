import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../kit/clock.ts';
import { changesOf } from '../kit/settings.ts';
import type { HeldCall, ReceivedRequest } from './model.ts';
import { defaultScript, defaultSettings, type Script, type Settings, settingsSchema } from './scripts.ts';

/** The complete state of the voice platform. */
export class VoiceState {
  readonly orgId = randomUUID();
  readonly clock: Clock;
  readonly signingKey = randomBytes(32);
  readonly log: (line: string) => void;
  /** The addresses of the API and of the recordings. */
  url = '';
  storageUrl = '';
  settings: Settings = { ...defaultSettings };
  calls: HeldCall[] = [];
  requests: ReceivedRequest[] = [];
  maxLive = 0;
  /** Calls that are not over, and messages that are being delivered or retried. */
  pending = new Set<object>();
  private byNumber = new Map<string, Script[]>();
  private fallback: Script = defaultScript;
  private ringCounts = new Map<string, number>();

  constructor(clock: Clock, log: (line: string) => void) {
    this.clock = clock;
    this.log = log;
  }

  change(changes: Partial<Settings>): void {
    this.settings = { ...this.settings, ...changesOf(settingsSchema, changes) };
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

  /** Returns the script of the number's next attempt. */
  nextScript(number: string): Script {
    return this.byNumber.get(number)?.[0] ?? this.fallback;
  }

  /** Advances to the number's next script after an attempt. The last script is repeated. */
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

  /** Finds a call that is not deleted. */
  find(id: string): HeldCall | undefined {
    return this.calls.find((held) => held.call.id === id && !held.deleted);
  }

  /** Forgets calls, scripts, settings and counts, and stops running calls and deliveries. */
  reset(): void {
    for (const held of this.calls) {
      held.resetController.abort();
      held.hangUp.abort();
    }
    this.pending = new Set();
    this.settings = { ...defaultSettings };
    this.calls = [];
    this.requests = [];
    this.maxLive = 0;
    this.byNumber = new Map();
    this.fallback = defaultScript;
    this.ringCounts = new Map();
  }
}
