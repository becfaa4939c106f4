import type { Call } from '../../../domain/calls/call.ts';
import { type AlreadyCalled, dayClaimKeys, dayClaimMoves } from '../../../domain/calls/dialing/day-claims.ts';
import { istDay } from '../../../domain/time/ist-day.ts';
import type { ClaimStore } from '../../../stores/calls/claims.ts';
import type { Item, TransactionResult, Write } from '../../../stores/dynamodb/transaction.ts';
import type { ErasedClaimCheck } from './erased-claims.ts';

/** The writes of a transaction that change day claims. */
const dayClaimWrites = ['take lead claim', 'take phone claim', 'free lead claim', 'free phone claim'] as const;
export type DayClaimWrite = (typeof dayClaimWrites)[number];

/** The writes whose refusal means that another event has called the lead or the phone. */
export const takingDayClaims = ['take lead claim', 'take phone claim'] as const satisfies DayClaimWrite[];

/**
 * Moves a call's day claims to the day and the phone of its dial. The writes belong in the transaction that sets this
 * day, because a claim is for the day on which the phone rings.
 * @param to.at when it will be dialed. @param to.phone E.164; the call's own by default.
 * @returns no `day` if it stays the same
 */
export function movingDayClaims(
  claims: Pick<ClaimStore, 'taking' | 'freeing'>,
  call: Call,
  { at, phone = call.phone_number }: { at: Date; phone?: string },
): { day?: string; writes: Record<DayClaimWrite, Write | undefined> } {
  const { day, lead, phone: phoneMove } = dayClaimMoves(call, { day: istDay(at), phone }, at);
  return {
    ...(day !== undefined && { day }),
    writes: {
      'take lead claim': lead && claims.taking(lead.take),
      'take phone claim': phoneMove && claims.taking(phoneMove.take),
      'free lead claim': lead && claims.freeing(lead.free, lead.take.owner_id),
      'free phone claim': phoneMove && claims.freeing(phoneMove.free, phoneMove.take.owner_id),
    },
  };
}

/**
 * Finds the day claim that another event holds, by the refusals of a transaction.
 * @param phone the one whose claim the transaction would have taken, E.164
 * @returns undefined if the transaction was refused for another reason
 */
export function alreadyCalled(
  refused: Partial<Record<DayClaimWrite | ErasedClaimCheck, { item: Item | undefined }>>,
  phone: string,
): AlreadyCalled | undefined {
  if (refused['take lead claim'] || refused['no erased lead claim']) return { outcome: 'already_called' };
  const claim = refused['take phone claim'];
  if (!claim && !refused['no erased phone claim']) return undefined;
  const behind = claim?.item && { call_id: String(claim.item.call_id), phone_number: phone };
  return { outcome: 'phone_already_called', ...(behind && { behind }) };
}

/**
 * Runs a transaction together with the writes that free a call's day claims. If another event owns one of the claims by
 * now, repeats the transaction without the write for that claim.
 * @returns whether it was committed.
 */
export async function freeingDayClaims(
  claims: Pick<ClaimStore, 'freeing'>,
  call: Call,
  run: (writes: Record<string, Write>) => Promise<TransactionResult<string>>,
): Promise<boolean> {
  let writes = freeingWrites(claims, call);
  for (;;) {
    const result = await run(writes);
    if (result.committed) return true;
    const refused = Object.keys(result.refused);
    const isAboutClaims = refused.length > 0 && refused.every((name) => name in writes);
    if (!isAboutClaims) return false;
    writes = Object.fromEntries(Object.entries(writes).filter(([name]) => !refused.includes(name)));
  }
}

function freeingWrites(claims: Pick<ClaimStore, 'freeing'>, call: Call): Record<string, Write> {
  const { lead, claims_day } = call;
  if (!lead || !claims_day) return {};
  const keys = dayClaimKeys(call, lead, claims_day);
  return {
    'free lead claim': claims.freeing(keys.lead, lead.event_id),
    'free phone claim': claims.freeing(keys.phone, lead.event_id),
  } satisfies Partial<Record<DayClaimWrite, Write>>;
}
