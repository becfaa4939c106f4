import type { LeadCall } from '../../../domain/calls/call.ts';
import { callActivity } from '../../../domain/calls/call-activity.ts';
import type { ActivityEntry } from '../../../domain/connections/activity.ts';
import { leadRetry } from '../../../messages/lead-retry.ts';

const LOST = 'The call was lost when tables were restored. It had rung no phone.';

/**
 * Builds the Activity entry of a lead whose call was lost in a restore (docs/runbooks/restore.md, "Records of later
 * calls"), so that `connection retry` finds the lead. A repeat builds the same entry.
 */
export function entryOfLostCall(call: LeadCall): ActivityEntry {
  const occurrence = { suffix: 'dial', source: 'dial', outcome: 'expired', reason: LOST } as const;
  const entry = callActivity(call, occurrence, new Date(call.created_at));
  return { ...entry, retryable: JSON.stringify(leadRetry(call, entry)) };
}
