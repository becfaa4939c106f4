import { callIdFor } from '../../shared/domain/ids.ts';
import { stores } from '../support/organizations/orgs.ts';
import { postCall } from '../support/rest/rest.ts';
import { aProbe, type RestProbe } from './support/probes.ts';
import { expectAllKept, settle } from './support/promises.ts';
import { disturbed, faultsToTry, isThrough, onLinux } from './support/rounds.ts';

/** A client that retries with the same idempotency key until it is accepted, and once more. */
async function placeTwice({ org, body }: RestProbe): Promise<void> {
  const accepted: unknown[] = [];
  for (let attempt = 1; attempt <= 5 && accepted.length < 2; attempt += 1) {
    const answer = await postCall(org, body);
    if (answer.status === 202) accepted.push(answer.body);
    else expect([500, 502, 503]).toContain(answer.status);
  }
  expect(accepted[1]).toMatchObject({ call_id: callIdFor(org.orgId, body.idempotency_key), idempotent_replay: true });
}

onLinux('place-call, whose client repeats with its idempotency key', () => {
  const { atEveryRequest } = disturbed('place-call');

  it.each(faultsToTry)('places one call and holds its credit once: %s at each kind of effect', async (fault) => {
    const { probes, kinds } = await atEveryRequest(fault, async (arm) => {
      const probe = await aProbe();
      await arm();
      await placeTwice(probe);
      return { probe, isThrough };
    });
    expect(kinds['place-call']).toEqual(
      expect.arrayContaining([
        'DynamoDB BatchGetItem',
        'DynamoDB UpdateItem rate-limits',
        'DynamoDB TransactWriteItems calls organizations',
      ]),
    );
    await settle(probes);
    await expectAllKept(probes);
    for (const { org } of probes) {
      const entries = await stores.ledger.list(org.orgId, 10);
      expect(entries.map(({ kind }) => kind)).toEqual(['settlement', 'hold', 'top_up']);
    }
  });
});
