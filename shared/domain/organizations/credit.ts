/**
 * Credit is counted in units of 1/1000 credit, as integers, so that sums never drift. People and the interface see
 * credits (decimal numbers).
 */
const UNITS_PER_CREDIT = 1000;

/** @param credits a decimal number of credits with at most three decimals. @throws RangeError on more. */
export function toUnits(credits: number): number {
  const units = Math.round(credits * UNITS_PER_CREDIT);
  if (!Number.isSafeInteger(units) || Number(credits.toFixed(3)) !== credits)
    throw new RangeError(`${credits} is not a number of credits with at most three decimals`);
  return units;
}

/** @param units credit in 1/1000. @returns credits as the interface shows them. */
export const toCredits = (units: number): number => units / UNITS_PER_CREDIT;

/**
 * Why a call is not placed, for people and in numbers.
 * @param required what it may cost, in units. @param available what there is.
 * @returns amounts in credits.
 */
export function lackOfCredit(required: number, available: number) {
  const amounts = { required: toCredits(required), available: toCredits(available) };
  const message = `The call may cost ${amounts.required} credits, and ${amounts.available} are available.`;
  return { message, ...amounts };
}

/** Minutes that are charged for a connected time: every started one. */
export const startedMinutes = (seconds: number): number => Math.ceil(seconds / 60);

/**
 * The credit a call could cost at most, held while it runs.
 * @param rate units per started minute. @param maxDurationSeconds the assistant's limit. @returns units.
 */
export const holdFor = (rate: number, maxDurationSeconds: number): number => rate * startedMinutes(maxDurationSeconds);

export type Charge = {
  /** Units taken from the org: rate x started minutes, at most the hold. */
  cost: number;
  /** Units the call would have cost beyond its hold: not charged, but recorded and counted. */
  beyondHold: number;
};

/**
 * What a call costs.
 * @param call the rate and hold (units) that the call was placed with: later edits of the org do not matter.
 * @param connectedSeconds how long somebody was on the line; 0 when never connected.
 */
export function chargeFor(call: { rate: number; held: number }, connectedSeconds: number): Charge {
  const price = call.rate * startedMinutes(connectedSeconds);
  const cost = Math.min(price, call.held);
  return { cost, beyondHold: price - cost };
}
