import type { Call } from '../../../shared/domain/calls/call.ts';
import { openingAt } from '../../../shared/domain/time/call-window.ts';
import { istDay } from '../../../shared/domain/time/ist-day.ts';
import type { CrmLeads } from '../crm-leads.ts';
import type { PlatformRecord } from '../platform.ts';
import { stopsOracle } from './stops.ts';
import type { Fail } from './violation.ts';

/**
 * How long a queued call may ring after its `dial_by`, or after a stop: if its message is lost or its worker dies,
 * recover-calls ends it within 6 minutes, after an outage of the platform of 6 minutes (docs/call-lifecycle.md, "Queued
 * at the platform").
 */
const QUEUED_MS = 12 * 60_000;

/**
 * Checks that a phone rings once for a call, once a day for a lead and for its phone, within the call window, and
 * before any stop.
 * @param now milliseconds @param isRough whether the platform cannot be read for hours: the service then cannot end
 * queued calls
 */
export function ringsOracle(
  fail: Fail,
  now: () => number,
  callOf: (callId: string) => Call | undefined,
  crmLeads: CrmLeads,
  isRough: boolean,
) {
  const queuedMs = isRough ? Number.POSITIVE_INFINITY : QUEUED_MS;
  const rung = new Set<string>();
  const days = new Map<string, string>();
  const stops = stopsOracle(fail, now, { queuedMs, crmLeads });
  let rings = 0;

  const once = (key: string, callId: string): void => {
    const earlier = days.get(key);
    if (earlier) fail('called twice a day', `${key}: by ${earlier} and ${callId}`, [earlier, callId]);
    days.set(key, callId);
  };

  return {
    onChange: stops.onChange,
    isListed: stops.isListed,
    onRing({ id, callId, createdMs, isTwin, isQueued }: PlatformRecord): void {
      // The platform made a second call for one request. The service can only hang it up.
      if (isTwin) return;
      rings += 1;
      const call = callOf(callId);
      if (!call) throw new Error(`${id} rings for no call`);
      if (rung.has(callId)) fail('double ring', `${callId} rings again, as ${id}`, [callId, id]);
      rung.add(callId);
      const claimedAt = new Date(call.dial_claimed_at ?? createdMs);
      if (claimedAt.toISOString() >= call.dial_by)
        fail('rang when it must not', `${callId} rings after its dial_by`, [callId]);
      if (isQueued && now() > Date.parse(call.dial_by) + queuedMs)
        fail('rang when it must not', `${callId} was queued at the platform and rings after its dial_by`, [callId]);
      stops.onRing(call, claimedAt.getTime());
      const { lead, org_id, phone_number: phone } = call;
      if (!lead) return;
      if (openingAt(lead.window, claimedAt)?.isOpen === false)
        fail('rang when it must not', `${callId} rings outside its call window`, [callId]);
      const day = istDay(claimedAt);
      once(`lead ${lead.connection_id} ${lead.lead_id} on ${day}`, callId);
      once(`phone ${org_id} ${phone} on ${day}`, callId);
    },
    rung,
    get rings() {
      return rings;
    },
  };
}
