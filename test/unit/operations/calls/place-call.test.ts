import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { callIdFor } from '../../../../shared/domain/ids.ts';
import { createApiKey, hashApiKey } from '../../../../shared/domain/organizations/api-key.ts';
import { placeCall } from '../../../../shared/operations/calls/place-call.ts';
import { anAssistant, anOrg, ORG } from '../../support/items.ts';
import { aWorld, START } from '../../support/world.ts';

const apiKey = createApiKey(ORG);
const key = {
  key_hash: hashApiKey(apiKey),
  key_id: 'key_1',
  org_id: ORG,
  name: 'k',
  permissions: ['calls:write'],
  created_at: START,
};
const HOLD = 10_000;

describe('placing many calls at once', () => {
  it('places one call per idempotency key, and holds no more credit than exists, in any order of answers', async () => {
    const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 2, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(
        keys,
        fc.integer({ min: 0, max: 4 }),
        fc.scheduler(),
        async (requested, affordable, scheduler) => {
          const contents = {
            organizations: [anOrg({ available: affordable * HOLD })],
            'api-keys': [key],
            assistants: [anAssistant()],
          };
          const { common, all } = aWorld(contents, (send) => scheduler.scheduleFunction(send));
          const place = (idempotency_key: string, index: number) =>
            placeCall(common, {
              requestId: `request-${index}`,
              authorization: `Bearer ${apiKey}`,
              body: {
                ok: true,
                request: {
                  phone_number: '+919812345678',
                  assistant_id: 'asst_1',
                  metadata: {},
                  idempotency_key,
                  callback_url: undefined,
                },
              },
            });
          const results = await scheduler.waitFor(Promise.all(requested.map(place)));

          const distinct = new Set(requested);
          const placed = results.flatMap((result) => (result.kind === 'placed' ? [result.call.call_id] : []));
          expect(placed).toHaveLength(Math.min(distinct.size, affordable));
          expect(new Set(placed).size).toBe(placed.length);
          expect(all('calls').map(({ call_id }) => call_id)).toEqual(expect.arrayContaining(placed));
          for (const [index, { kind }] of results.entries()) {
            const hasCall = placed.includes(callIdFor(ORG, requested[index]));
            expect(kind).toMatch(hasCall ? /^(placed|replayed)$/ : /^insufficient_credits$/);
          }
          expect(all('organizations')).toMatchObject([
            { available: (affordable - placed.length) * HOLD, held: placed.length * HOLD },
          ]);
          expect([all('calls').length, all('credit-ledger').length]).toEqual([placed.length, placed.length]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
