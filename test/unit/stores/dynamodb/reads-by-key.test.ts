import { readByKeys } from '../../../../shared/stores/dynamodb/reads-by-key.ts';
import { clientOf, database, type Send } from '../../support/worlds/database.ts';

const keys = (count: number) => Array.from({ length: count }, (_, index) => ({ claim: `claim-${index}` }));

describe('items of a table', () => {
  it('are read by any number of keys, a hundred in a request, and each once', async () => {
    const tables = database({ claims: keys(250) });
    const read = await readByKeys(clientOf(tables.send), 'claims', [...keys(250), { claim: 'unknown' }, ...keys(250)]);
    expect(read.map(({ claim }) => claim).toSorted()).toEqual(
      keys(250)
        .map(({ claim }) => claim)
        .toSorted(),
    );
    expect(tables.requests).toEqual(['BatchGet', 'BatchGet', 'BatchGet']);
  });

  it('are read without a request if no key is given', async () => {
    const tables = database({});
    expect(await readByKeys(clientOf(tables.send), 'claims', [])).toEqual([]);
    expect(tables.requests).toEqual([]);
  });

  it('that DynamoDB leaves unprocessed are requested again, with the same consistency and projection', async () => {
    const tables = database({ claims: keys(2) });
    const options = { ConsistentRead: true, ProjectionExpression: 'claim' };
    const asked: unknown[] = [];
    const send = (async (command: { input: { RequestItems: { claims: object } } }) => {
      asked.push(command.input.RequestItems.claims);
      if (asked.length > 1) return tables.send(command as never);
      const claims = { Keys: [{ claim: 'claim-1' }], ...options };
      return { Responses: { claims: [{ claim: 'claim-0' }] }, UnprocessedKeys: { claims } };
    }) as Send;
    expect(await readByKeys(clientOf(send), 'claims', keys(2), options)).toEqual(keys(2));
    expect(asked).toEqual([
      { Keys: keys(2), ...options },
      { Keys: [{ claim: 'claim-1' }], ...options },
    ]);
  });
});
