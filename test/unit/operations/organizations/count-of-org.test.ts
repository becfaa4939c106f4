import fc from 'fast-check';
import { TIMEOUT_SECONDS } from '../../../../lib/constructs/service-function.ts';
import { functionNames, functionRow } from '../../../../lib/functions.ts';
import { hashApiKey, newApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import { windowSeconds } from '../../../../shared/domain/organizations/rate-limit.ts';
import { admitRequest } from '../../../../shared/operations/organizations/steps/admit-request.ts';
import { countOfOrg } from '../../../../shared/operations/organizations/steps/count-of-org.ts';
import { anOrg, ORG } from '../../support/worlds/items.ts';
import { aWorld, START } from '../../support/worlds/world.ts';

/** The longest run that Lambda allows a costly function. */
const LONGEST_SECONDS = 29;
const kinds = ['analyses', 'uploads'] as const;

/** Bursts of requests, and the seconds before each. */
const arrivals = fc.array(
  fc.record({ pause: fc.double({ min: 0, max: 16, noNaN: true }), requests: fc.integer({ min: 1, max: 40 }) }),
  {
    minLength: 1,
    maxLength: 6,
  },
);
type Arrivals = { pause: number; requests: number }[];
/** The highest number: at the end of a window, and at the beginning of the next. */
const worst: Arrivals = [
  { pause: 29, requests: 40 },
  { pause: 1, requests: 40 },
];

/** @returns the instants, in milliseconds, of the requests that were admitted */
async function admittedOf(world: ReturnType<typeof aWorld>, bursts: Arrivals, admit: () => Promise<boolean>) {
  const begun: number[] = [];
  for (const { pause, requests } of bursts) {
    world.pass(pause);
    for (let request = 0; request < requests; request += 1) if (await admit()) begun.push(world.ms);
  }
  return begun;
}

/** @returns the most of these instants, in milliseconds, that began within the longest run before one of them */
const mostAtOnce = (instants: readonly number[]): number =>
  Math.max(
    0,
    ...instants.map((at) => instants.filter((one) => one <= at && one > at - LONGEST_SECONDS * 1_000).length),
  );

describe('costly work', () => {
  it('runs no longer than the window in which it is counted', () => {
    const rows = functionNames.map(functionRow).filter(({ isCostly }) => isCostly);
    expect(rows.length).toBe(4);
    for (const { timeoutSeconds = TIMEOUT_SECONDS } of rows)
      expect(timeoutSeconds).toBeLessThanOrEqual(LONGEST_SECONDS);
    for (const kind of kinds) expect(windowSeconds[kind]).toBeGreaterThan(LONGEST_SECONDS);
  });

  it.each(kinds)('never has more than 60 %s of an organization under way, however requests arrive', async (kind) => {
    const most = async (bursts: Arrivals) => {
      const world = aWorld();
      return mostAtOnce(
        await admittedOf(world, bursts, async () => (await countOfOrg(world.common, ORG, kind)).allowed),
      );
    };
    expect(await most(worst)).toBe(60);
    const rule = async (bursts: Arrivals) => expect(await most(bursts)).toBeLessThanOrEqual(60);
    await fc.assert(fc.asyncProperty(arrivals, rule), { numRuns: 25 });
  });

  it.each(kinds)('never has more than 20 %s of a key under way, however requests arrive', async (kind) => {
    const apiKey = newApiKey(ORG);
    const key = { key_hash: hashApiKey(apiKey), key_id: 'key_1', org_id: ORG, name: 'k', created_at: START };
    const contents = { 'api-keys': [{ ...key, permissions: [] }], organizations: [anOrg()] };
    const most = async (bursts: Arrivals) => {
      const world = aWorld(contents);
      const admit = async () => {
        const admission = await admitRequest(world.common, `Bearer ${apiKey}`, { costs: kind });
        return admission.kind === 'admitted';
      };
      return mostAtOnce(await admittedOf(world, bursts, admit));
    };
    expect(await most(worst)).toBe(20);
    const rule = async (bursts: Arrivals) => expect(await most(bursts)).toBeLessThanOrEqual(20);
    await fc.assert(fc.asyncProperty(arrivals, rule), { numRuns: 15 });
  });
});
