import type { Call } from '../../domain/calls/call.ts';
import type { Write } from '../dynamodb/transaction.ts';
import { type Condition, type ItemChange, isStill } from '../dynamodb/update.ts';

/** Updates one call if all conditions hold. @returns whether the write took place. */
export type TryWrite = (callId: string, change: ItemChange, conditions: Condition[]) => Promise<boolean>;
/** Builds the same update as part of a transaction. */
export type MakeWrite = (callId: string, change: ItemChange, conditions: Condition[]) => Write;

/** The call exists and is not erased. */
export const exists: Condition = { expression: 'attribute_exists(call_id) AND attribute_not_exists(erased_at)' };

/** The call's erasure has begun. */
export const isErasedItem: Condition = { expression: 'attribute_exists(erased_at)' };

/** The call waits: it has no dial claim, and no attempt can have reached the platform. */
export const waiting: Condition = {
  expression:
    '#status IN (:queued, :dialing) AND attribute_not_exists(dial_claimed_at) AND attribute_not_exists(platform_id)',
  values: { queued: 'queued', dialing: 'dialing' },
};

export const scheduledFor = (instant: string | undefined): Condition => ({
  expression: '#status = :scheduled AND scheduled_for = :instant',
  values: { scheduled: 'scheduled', instant },
});

/** The dial claim still belongs to this attempt. */
export const claimedAt = (instant: string): Condition => ({
  expression: 'dial_claimed_at = :claim',
  values: { claim: instant },
});

/** The call has the reservation of this instant; for undefined, it has no reservation. */
export const reservedAt = (instant: string | undefined): Condition => isStill('reserved_at', instant);

/**
 * The call still has the hold and the number with which it was read. Otherwise the transaction would settle another
 * hold, or free the claims of another number.
 */
export const asRead = ({ held, phone_number }: Pick<Call, 'held' | 'phone_number'>): Condition => ({
  expression: 'held = :read_held AND phone_number = :read_phone',
  values: { read_held: held, read_phone: phone_number },
});

/** No newer event of the call's lead has confirmed it since it was read. */
export const leadAsRead = ({ lead }: Pick<Call, 'lead'>): Condition =>
  lead?.fits_at === undefined
    ? { expression: 'attribute_not_exists(#lead.fits_at)' }
    : { expression: '#lead.fits_at = :lead_fits_at', values: { lead_fits_at: lead.fits_at } };

/** No person has requested the end of the call at the platform since it was read. */
export const stopAsRead = ({ stop_asked_at }: Pick<Call, 'stop_asked_at'>): Condition =>
  isStill('stop_asked_at', stop_asked_at);

export const unclaimed: Condition = { expression: 'attribute_not_exists(dial_claimed_at)' };

/** The call has no platform id or this one, and this one belongs to no former attempt. */
export const mayBeKnownAs = (platformId: string): Condition => ({
  expression:
    '(attribute_not_exists(platform_id) OR platform_id = :platform_id) AND NOT contains(former_platform_ids, :platform_id)',
  values: { platform_id: platformId },
});

export const isKnownAs = (platformId: string | undefined): Condition => isStill('platform_id', platformId);

/** No attempt of the call has this platform id, and it is not noted as a second one. */
export const isUnknownAs = (platformId: string): Condition => ({
  expression:
    '(attribute_not_exists(platform_id) OR platform_id <> :platform_id) AND NOT contains(former_platform_ids, :platform_id) AND NOT contains(second_platform_ids, :platform_id)',
  values: { platform_id: platformId },
});

export function oneOf(attribute: string, values: readonly string[]): Condition {
  const named = Object.fromEntries(values.map((value) => [`is_${value}`, value]));
  const placeholders = Object.keys(named).map((name) => `:${name}`);
  return { expression: `#${attribute} IN (${placeholders.join(', ')})`, values: named };
}
