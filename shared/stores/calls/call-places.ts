import * as z from 'zod/mini';
import { isErased } from '../../domain/calls/retention/erased-item.ts';
import { type WaitingPlace, waitingPlaceAttributes, waitingPlaceOf } from '../../domain/calls/slots/waiting-place.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import { isStill } from '../dynamodb/update.ts';
import { claimedAt, isKnownAs, type MakeWrite, reservedAt, unclaimed } from './call-conditions.ts';
import { parseCall } from './call-item.ts';

type Read = <T>(callId: string, parse: (item: Item) => T | undefined) => Promise<T | undefined>;

/** The attributes that give a call its place and its slots. Everything else may be unreadable. */
const placedSchema = z.object({
  call_id: z.string(),
  org_id: z.string(),
  dial_by: z.string(),
  lead: z.optional(z.unknown()),
  status: z.string(),
  slots: z.optional(z.array(z.string())),
  reserved_at: z.optional(z.string()),
  waiting_turn: z.optional(z.string()),
});

const instant = z.catch(z.optional(z.string().check(z.refine((text) => !Number.isNaN(Date.parse(text))))), undefined);

/** The slots of a dialed call and the attributes that set its deadline. */
const liveSchema = z.object({
  call_id: z.string(),
  org_id: z.string(),
  slots: z.array(z.string()),
  dial_by: z.string(),
  dial_claimed_at: instant,
  progress_at: instant,
  queued_at_platform: instant,
  max_duration_seconds: z.catch(z.optional(z.number()), undefined),
});

export type UnreadableLiveCall = z.infer<typeof liveSchema>;

/** `isReadable`: whether the whole call can be read. */
export type CallPlace = z.infer<typeof placedSchema> & { isReadable: boolean };

/** Prevents unreadable calls in the Calls table from holding slots and from blocking other calls. */
export const callPlaces = (read: Read, makeWrite: MakeWrite) => ({
  /**
   * Reads a call's place and slots consistently, even if the rest of the call cannot be read.
   * @returns undefined for an erased call, and for one whose place or slots cannot be read either
   */
  getPlace: (callId: string): Promise<CallPlace | undefined> =>
    read(callId, (item) => {
      const placed = isErased(item) ? undefined : placedSchema.safeParse(item).data;
      return placed && { ...placed, isReadable: isReadable(item) };
    }),

  /**
   * Moves a waiting or reserved call behind others. The same transaction decrements the counters of its slots. Refused
   * if its place or reservation has changed since it was read, or if a dial was claimed.
   * @param until ISO 8601: when the call may get slots again. From its `dial_by` on, it gets none.
   */
  settingAside(call: CallPlace, now: string, until: string): Write {
    const isInTime = until < call.dial_by;
    const place: Partial<WaitingPlace> = isInTime ? waitingPlaceOf(call, until) : {};
    return makeWrite(
      call.call_id,
      {
        set: { unfinished: 'waiting', progress_at: now, ...(isInTime && { dial_after: until }), ...place },
        remove: ['slots', 'slots_at', 'reserved_at', ...(isInTime ? [] : waitingPlaceAttributes)],
      },
      [unclaimed, isKnownAs(undefined), reservedAt(call.reserved_at), isStill('waiting_turn', call.waiting_turn)],
    );
  },

  /**
   * Reads the slots and the deadline of a dialed call that cannot be read. Reads consistently.
   * @returns undefined for a call that can be read, was erased, or holds no slots
   */
  getUnreadableLive: (callId: string): Promise<UnreadableLiveCall | undefined> =>
    read(callId, (item) => (isErased(item) || isReadable(item) ? undefined : liveSchema.safeParse(item).data)),

  /**
   * Takes the slots from a dialed call. The same transaction decrements their counters. Refused if the call has
   * changed its slots or its dial claim since it was read.
   */
  givingUpSlots: ({ call_id, slots, dial_claimed_at }: UnreadableLiveCall): Write =>
    makeWrite(call_id, { remove: ['slots', 'slots_at'] }, [
      { expression: 'unfinished = :claimed AND slots = :slots', values: { claimed: 'claimed', slots } },
      ...(dial_claimed_at === undefined ? [] : [claimedAt(dial_claimed_at)]),
    ]),
});

function isReadable(item: Item): boolean {
  try {
    parseCall(item);
    return true;
  } catch {
    return false;
  }
}
