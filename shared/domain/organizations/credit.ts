/** Credit is counted in integer units of 1/1000 credit, so that sums never drift. Interfaces show decimal credits. */
const UNITS_PER_CREDIT = 1000;

/** Converts credits to units. @param credits with three decimals at most. @throws RangeError for more. */
export function toUnits(credits: number): number {
  const units = Math.round(credits * UNITS_PER_CREDIT);
  if (!Number.isSafeInteger(units) || Number(credits.toFixed(3)) !== credits)
    throw new RangeError(`${credits} is not a number of credits with at most three decimals`);
  return units;
}

export const toCredits = (units: number): number => units / UNITS_PER_CREDIT;

/**
 * Explains a refusal for lack of credit.
 * @param required in units. @param available in units.
 * @returns the message, and both amounts in credits.
 */
export function lackOfCredit(required: number, available: number) {
  const amounts = { required: toCredits(required), available: toCredits(available) };
  const message = `The call may cost ${amounts.required} credits, and ${amounts.available} are available.`;
  return { message, ...amounts };
}

/** Returns the minutes that are charged for a connected time. */
export const startedMinutes = (seconds: number): number => Math.ceil(seconds / 60);

/**
 * Computes a call's hold, its maximum cost.
 * @param rate units per started minute. @returns units.
 */
export const holdFor = (rate: number, maxDurationSeconds: number): number => rate * startedMinutes(maxDurationSeconds);

export type Charge = {
  /** Units charged: rate × started minutes, at most the hold. */
  cost: number;
  /** Units beyond the hold. They are recorded and counted, but not charged. */
  beyondHold: number;
};

/**
 * Computes the cost of a call on the terms of its placing.
 * @param call in units. @param connectedSeconds 0 if it never connected.
 */
export function chargeFor(call: { rate: number; held: number }, connectedSeconds: number): Charge {
  const price = call.rate * startedMinutes(connectedSeconds);
  const cost = Math.min(price, call.held);
  return { cost, beyondHold: price - cost };
}
