import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { withBatchedReads } from '../../../../shared/stores/dynamodb/batched-reads.ts';
import { clientOf, database, type Send } from '../../support/worlds/database.ts';

const key = (name: string) => ({ TableName: 'api-keys', Key: { key_hash: name }, ConsistentRead: true });
const org = (name: string) => ({ TableName: 'organizations', Key: { org_id: name }, ConsistentRead: true });

/** A database, and a client that reads it in batches. @param answer changes the answer to a batch */
function aDatabase(answer: (batch: object) => object = (batch) => batch) {
  const tables = database({
    'api-keys': [
      { key_hash: 'a', name: 'first' },
      { key_hash: 'b', name: 'second' },
    ],
    organizations: [{ org_id: 'org1', name: 'one' }],
  });
  const send = (async (command: never) => {
    const answered = (await tables.send(command)) as object;
    return 'Responses' in answered ? answer(answered) : answered;
  }) as Send;
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  return { tables, waits, db: withBatchedReads(clientOf(send), { random: () => 1, sleep }) };
}

const nameOf = ({ Item }: { Item?: Record<string, unknown> | undefined }) => Item?.name;

describe('concurrent reads', () => {
  it('are one request, and each gets its own item', async () => {
    const { db, tables } = aDatabase();
    const wanted = [key('b'), org('org1'), key('unknown'), key('a')];
    const read = await Promise.all(wanted.map((one) => db.send(new GetCommand(one))));
    expect(read.map(nameOf)).toEqual(['second', 'one', undefined, 'first']);
    expect(tables.requests).toEqual(['BatchGet']);
  });

  it('are one request even if some start only after a promise that is already settled', async () => {
    const { db, tables } = aDatabase();
    const later = Promise.resolve().then(() => db.send(new GetCommand(org('org1'))));
    const read = await Promise.all([db.send(new GetCommand(key('a'))), later]);
    expect(read.map(nameOf)).toEqual(['first', 'one']);
    expect(tables.requests).toEqual(['BatchGet']);
  });

  it('are a request for each hundred items, the maximum of DynamoDB', async () => {
    const { db, tables } = aDatabase();
    const wanted = [...Array.from({ length: 199 }, (_, index) => key(`unknown-${index}`)), key('b')];
    const read = await Promise.all(wanted.map((one) => db.send(new GetCommand(one))));
    expect([read.length, nameOf(read.at(-1) ?? {})]).toEqual([200, 'second']);
    expect(tables.requests).toEqual(['BatchGet', 'BatchGet']);
  });

  it('may be of the same item, although DynamoDB refuses to read an item twice in a request', async () => {
    const { db } = aDatabase();
    const read = await Promise.all([key('a'), key('a')].map((one) => db.send(new GetCommand(one))));
    expect(read.map(nameOf)).toEqual(['first', 'first']);
  });

  it('of a table are consistent if one of them is', async () => {
    const { db, tables } = aDatabase();
    const batches: object[] = [];
    tables.hooks.before = (_, input) => void batches.push(input);
    const old = { ...org('org1'), ConsistentRead: false };
    const { ConsistentRead: _, ...alsoOld } = org('org2');
    const wanted = [key('a'), { ...key('b'), ConsistentRead: false }, old, alsoOld];
    await Promise.all(wanted.map((one) => db.send(new GetCommand(one))));
    expect(batches).toEqual([
      {
        RequestItems: {
          'api-keys': { Keys: [{ key_hash: 'a' }, { key_hash: 'b' }], ConsistentRead: true },
          organizations: { Keys: [{ org_id: 'org1' }, { org_id: 'org2' }], ConsistentRead: false },
        },
      },
    ]);
  });

  it('are two requests if one begins after the answer to the other', async () => {
    const { db, tables } = aDatabase();
    await db.send(new GetCommand(key('a')));
    await db.send(new GetCommand(key('b')));
    expect(tables.requests).toEqual(['BatchGet', 'BatchGet']);
  });

  it('do not include requests of another kind', async () => {
    const { db, tables } = aDatabase();
    await Promise.all([
      db.send(new PutCommand({ TableName: 'api-keys', Item: { key_hash: 'c' } })),
      db.send(new GetCommand(key('a'))),
    ]);
    expect(tables.requests.toSorted()).toEqual(['BatchGet', 'Put api-keys']);
  });

  it('fail together', async () => {
    const { db, tables } = aDatabase();
    tables.hooks.before = () => {
      throw new Error('no connection');
    };
    const read = await Promise.allSettled([db.send(new GetCommand(key('a'))), db.send(new GetCommand(org('org1')))]);
    expect(read.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(db.send(new GetCommand(key('a')))).rejects.toThrow('no connection');
  });
});

describe('reads that DynamoDB leaves unprocessed', () => {
  it('are requested again, after a pause', async () => {
    let isFirst = true;
    const { db, tables, waits } = aDatabase((batch) => {
      if (!isFirst) return batch;
      isFirst = false;
      return { Responses: {}, UnprocessedKeys: { 'api-keys': { Keys: [{ key_hash: 'a' }] } } };
    });
    const read = await Promise.all([key('a'), key('unknown')].map((one) => db.send(new GetCommand(one))));
    expect(read.map(nameOf)).toEqual(['first', undefined]);
    expect(tables.requests).toEqual(['BatchGet', 'BatchGet']);
    expect(waits).toEqual([50]);
  });

  it('fail as throttled after four requests, and never look like absent items', async () => {
    const { db, tables } = aDatabase(() => ({
      Responses: {},
      UnprocessedKeys: { 'api-keys': { Keys: [{ key_hash: 'a' }] } },
    }));
    await expect(db.send(new GetCommand(key('a')))).rejects.toThrow(
      expect.objectContaining({ name: 'ProvisionedThroughputExceededException' }),
    );
    expect(tables.requests).toHaveLength(4);
  });
});
