import * as z from 'zod/mini';
import { isErased } from '../../domain/calls/retention/erased-call.ts';
import { type WaitingPlace, waitingPlaceAttributes, waitingPlaceOf } from '../../domain/calls/slots/waiting-place.ts';
import type { Item, Write } from '../dynamodb/transaction.ts';
import type { Condition, ItemChange } from '../dynamodb/update.ts';
import { isKnownAs, reservedAt, unclaimed } from './call-conditions.ts';
import { parseCall } from './call-item.ts';

type Read = <T>(callId: string, parse: (item: Item) => T | undefined) => Promise<T | undefined>;
type MakeWrite = (callId: string, change: ItemChange, conditions: Condition[]) => Write;

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

/** `isReadable`: whether the whole call can be read. */
export type PlacedCall = z.infer<typeof placedSchema> & { isReadable: boolean };

/** The part of the Calls table that keeps calls that cannot be read from holding slots and blocking others. */
export const callPlaces = (read: Read, makeWrite: MakeWrite) => ({
  /**
   * Reads a call's place and slots consistently, even if the rest of the call cannot be read.
   * @returns undefined for an erased call, and for one whose place or slots cannot be read either
   */
  getPlace: (callId: string): Promise<PlacedCall | undefined> =>
    read(callId, (item) => {
      const placed = isErased(item) ? undefined : placedSchema.safeParse(item).data;
      return placed && { ...placed, isReadable: isReadable(item) };
    }),

  /**
   * Moves a waiting or reserved call behind others. The same transaction decrements the counters of its slots. Refused
   * if its place or reservation has changed since it was read, or if a dial was claimed.
   * @param until ISO 8601: when the call may get slots again. From its `dial_by` on, it gets none.
   */
  settingAside(call: PlacedCall, now: string, until: string): Write {
    const isInTime = until < call.dial_by;
    const place: Partial<WaitingPlace> = isInTime ? waitingPlaceOf(call, until) : {};
    return makeWrite(
      call.call_id,
      {
        set: { unfinished: 'waiting', progress_at: now, ...(isInTime && { dial_after: until }), ...place },
        remove: ['slots', 'slots_at', 'reserved_at', ...(isInTime ? [] : waitingPlaceAttributes)],
      },
      [
        unclaimed,
        isKnownAs(undefined),
        reservedAt(call.reserved_at),
        call.waiting_turn === undefined
          ? { expression: 'attribute_not_exists(waiting_turn)' }
          : { expression: 'waiting_turn = :turn', values: { turn: call.waiting_turn } },
      ],
    );
  },
});

function isReadable(item: Item): boolean {
  try {
    parseCall(item);
    return true;
  } catch {
    return false;
  }
}
