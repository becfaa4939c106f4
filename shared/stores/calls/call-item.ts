import { type Call, callSchema } from '../../domain/calls/call.ts';
import { phoneKeyOf } from '../../domain/calls/phone-key.ts';
import { isErased } from '../../domain/calls/retention/erased-item.ts';
import { waitingPlaceOf } from '../../domain/calls/slots/waiting-place.ts';
import { type Shown, shownSchemaOf } from '../../domain/newer-values.ts';
import type { Item } from '../dynamodb/transaction.ts';
import { jsonFromItem, storedAnalysis } from './call-json.ts';

/** Returns the item of a call. Metadata is JSON text: DynamoDB limits both the nesting and the precision of numbers. */
export const callItem = (call: Call): Item => ({
  ...call,
  request_metadata: JSON.stringify(call.request_metadata),
  analysis: call.analysis && storedAnalysis(call.analysis),
  org_phone: phoneKeyOf(call),
  // An index projects only top-level attributes.
  ...(call.lead && { connection_id: call.lead.connection_id }),
  ...(call.unfinished === 'waiting' && waitingPlaceOf(call, call.dial_after)),
});

export const parseCall = (item: Item): Call => callSchema.parse(jsonFromItem(item));

/** Created only for the first call that a newer version wrote, because that takes milliseconds of a cold start. */
let shownSchema: ReturnType<typeof shownSchemaOf<typeof callSchema>> | undefined;

/** Reads a call that is only shown, even if a newer version wrote it. */
export function parseToShow(item: Item): Shown<Call> {
  const stored = jsonFromItem(item);
  const known = callSchema.safeParse(stored);
  if (known.success) return known.data;
  shownSchema ??= shownSchemaOf(callSchema);
  return shownSchema.parse(stored);
}

/** Parses a call. @returns undefined for an erased call. */
export const parseUnlessErased = (item: Item): Call | undefined => (isErased(item) ? undefined : parseCall(item));

/** Parses a call that is only shown. @returns undefined for an erased call. */
export const parseToShowUnlessErased = (item: Item): Shown<Call> | undefined =>
  isErased(item) ? undefined : parseToShow(item);
