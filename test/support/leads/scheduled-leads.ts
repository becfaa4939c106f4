import {
  DeleteScheduleCommand,
  GetScheduleCommand,
  type GetScheduleCommandOutput,
  ResourceNotFoundException,
} from '@aws-sdk/client-scheduler';
import type { Call } from '../../../shared/domain/calls/call.ts';
import type { ActivityEntry } from '../../../shared/domain/connections/activity.ts';
import { releaseMinute } from '../../../shared/domain/leads/release.ts';
import { aCrmBConnection, type CrmBConnection } from '../connections/crm-b.ts';
import { stores, type TestOrg } from '../organizations/orgs.ts';
import { eventually, scheduler, variablesOf } from '../stack/stack.ts';
import { activityOf, aLeadEvent, queueLead } from './leads.ts';
import { aQuietLead } from './quiet-lead.ts';

/** A call window during the day, in India. */
const window = { call_window_start: '09:00', call_window_end: '21:00' };

export const aConnectionWithWindow = (org?: TestOrg, settings: object = window): Promise<CrmBConnection> =>
  aCrmBConnection({ settings: { ...settings } }, org);

/** Queues an edit of the lead, as the webhook does. @returns its Activity entry */
export async function decidedForLead(connected: CrmBConnection, lead_id: string): Promise<ActivityEntry> {
  const event = aLeadEvent(connected, { lead: { lead_id, phones: [], do_not_call: false, fields: {} } });
  await queueLead(event);
  const entries = await eventually(
    () => activityOf(connected, 0),
    (all) => all.some(({ event_id }) => event_id === event.event_id),
    60,
  );
  return entries.find(({ event_id }) => event_id === event.event_id) as ActivityEntry;
}

/** Queues a lead outside of its call window. @returns its scheduled call */
export async function aScheduledCall(connected: CrmBConnection, phone: string): Promise<Call> {
  const entry = await decidedForLead(connected, await aQuietLead(phone));
  const call = await stores.calls.get(entry.call_id ?? '');
  if (entry.outcome !== 'call scheduled' || !call) throw new Error(`not scheduled: ${JSON.stringify(entry)}`);
  return call;
}

const nameOf = async ({ call_id, scheduled_for = '' }: Call) => ({
  GroupName: (await variablesOf('schedule-release')).RELEASE_SCHEDULES_GROUP,
  Name: `${call_id}-${releaseMinute(scheduled_for)}`,
});

/** Reads the one-time schedule that releases the call. @returns undefined if it does not exist */
export async function scheduleOf(call: Call): Promise<GetScheduleCommandOutput | undefined> {
  try {
    return await scheduler.send(new GetScheduleCommand(await nameOf(call)));
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** Waits for the call's one-time schedule. */
export const scheduleCreatedOf = (call: Call) =>
  eventually(
    () => scheduleOf(call),
    (schedule) => schedule !== undefined,
  );

/** Deletes the schedule, as if it had been lost. */
export async function loseScheduleOf(call: Call): Promise<void> {
  await scheduleCreatedOf(call);
  await scheduler.send(new DeleteScheduleCommand(await nameOf(call)));
}
