import { cancelCall } from '../../shared/operations/calls/cancel-call.ts';
import { forceEndCall } from '../../shared/operations/calls/force-end-call.ts';
import type { QueueParts } from './queues.ts';
import type { Service } from './service.ts';
import type { Tenant } from './tenants.ts';

const MINUTE_MS = 60_000;

/** How often an operator does what. */
const weights = { cancel: 6, end: 6, pause: 1, suspend: 2, switchOff: 1 };

/** @returns a function that has an operator do something: cancel, end, pause, suspend or switch off. */
export function operatorOf({ timeline, random, processes }: QueueParts, { deps, tables }: Service) {
  const operate = (what: string, work: () => Promise<unknown>): void =>
    void processes.run(`operator: ${what}`, work, false);
  const later = (minutes: number, what: string, work: () => Promise<unknown>) =>
    timeline.after(minutes * MINUTE_MS, () => operate(what, work));
  const someCall = (): string => {
    const open = tables.all('calls').filter(({ unfinished }) => unfinished !== undefined && unfinished !== 'ended');
    return String(open.length > 0 ? random.pick(open).call_id : 'call_none');
  };

  const acts: Record<keyof typeof weights, (tenant: Tenant) => void> = {
    cancel: () => {
      const callId = someCall();
      operate(`cancels ${callId}`, () => cancelCall(deps, callId));
    },
    end: () => {
      const callId = someCall();
      operate(`ends ${callId}`, () => forceEndCall(deps, callId));
    },
    pause: () => {
      operate('pauses', () => deps.slots.pause(timeline.date().toISOString()));
      later(random.whole(1, 15), 'resumes', () => deps.slots.resume());
    },
    suspend: ({ orgId }) => {
      const suspended_at = timeline.date().toISOString();
      operate(`suspends ${orgId}`, () => deps.organizations.update(orgId, { suspended_at }));
      later(random.whole(1, 30), `resumes ${orgId}`, () => deps.organizations.update(orgId, {}, ['suspended_at']));
    },
    switchOff: ({ connections: { b } }) => {
      operate(`switches off ${b}`, () => deps.connections.update(b, { auto_call: false }));
      later(random.whole(5, 60), `switches on ${b}`, () => deps.connections.update(b, { auto_call: true }));
    },
  };
  return (tenant: Tenant): void => acts[random.weighted(weights)](tenant);
}
