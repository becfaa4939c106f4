import type { Call } from '../../../../shared/domain/calls/call.ts';
import { callIdForLead, newToken } from '../../../../shared/domain/ids.ts';
import { type LeadEvent, leadEvent } from '../../../../shared/messages/lead-event.ts';
import { eraseCall } from '../../../../shared/operations/after-call/erasure/erase-call.ts';
import { aCrmAEvent } from '../crm-a-leads.ts';
import { CONNECTION, type LeadWorld } from './lead-world.ts';

/** An event of another lead with the phone of the first one. */
export const theOther = (more: Partial<LeadEvent> = {}): LeadEvent =>
  aCrmAEvent({ event_id: 'evt_2', ...more }, { lead_id: 'lead-2' });

/** Delivers the messages of the lead queue that are due within some minutes. @returns the results, in order */
export async function deliver(world: LeadWorld, minutes: number): Promise<string[]> {
  const results: string[] = [];
  const end = Date.parse(world.now) + minutes * 60_000;
  const isDue = ({ delay }: { delay: number }) => Date.parse(world.now) + delay * 1000 <= end;
  for (let [sent] = world.queued; sent && isDue(sent); [sent] = world.queued) {
    world.queued.shift();
    world.pass(sent.delay);
    results.push(await world.process(leadEvent.parse(JSON.parse(JSON.stringify(sent.message)))));
  }
  return results;
}

export const callOf = (world: LeadWorld, eventId: string): Call | undefined =>
  world.calls().find(({ call_id }) => call_id === callIdForLead(CONNECTION, eventId));

/** Erases a call that waits, or that never rang. */
export const erase = (world: LeadWorld, eventId = 'evt_1') =>
  eraseCall(
    {
      ...world.deps,
      newToken,
      personKey: 'key',
      fileErasures: { count: async () => 0, remove: async () => undefined },
      voice: { erase: async () => ({ kind: 'absent' }) },
      remover: async () => async () => ({ kind: 'absent' }),
    },
    { kind: 'operator', name: 'ops' },
    callIdForLead(CONNECTION, eventId),
  );
