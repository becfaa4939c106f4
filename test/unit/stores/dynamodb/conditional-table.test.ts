import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { conditionalTable } from '../../../../shared/stores/dynamodb/conditional-table.ts';

const refusal = new ConditionalCheckFailedException({ $metadata: {}, message: 'refused' });
const isNew = { expression: 'attribute_not_exists(id)' };
const isOwn = { expression: 'owner_id = :owner', values: { owner: 'a' } };

const rename = { set: { name: 'x' } };
type Table = ReturnType<typeof aTable>['table'];

/** Makes a table whose client answers each request with `answer`. */
function aTable(answer: object | Error = {}) {
  const sent: object[] = [];
  const send = async ({ input }: { input: object }) => {
    sent.push(input);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { table: conditionalTable({ send } as never, 'things'), sent };
}

describe('a write of a transaction', () => {
  it('has its condition, and returns the stored item only on request', () => {
    const { table, sent } = aTable();
    const place = { TableName: 'things', Key: { id: '1' } };
    const put = {
      TableName: 'things',
      Item: { id: '1' },
      ConditionExpression: '(attribute_not_exists(id))',
      ReturnValuesOnConditionCheckFailure: 'NONE',
    };
    expect(table.put({ id: '1' }, [isNew])).toEqual({ Put: put });
    expect(table.put({ id: '1' }, [isNew], 'ALL_OLD')).toEqual({
      Put: { ...put, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
    });
    expect(table.update({ id: '1' }, { add: { live: 1 } })).toEqual({
      Update: {
        ...place,
        UpdateExpression: 'ADD #live :add_live',
        ExpressionAttributeNames: { '#live': 'live' },
        ExpressionAttributeValues: { ':add_live': 1 },
        ReturnValuesOnConditionCheckFailure: 'NONE',
      },
    });
    const values = { ':owner': 'a' };
    expect(table.delete({ id: '1' }, [isOwn])).toEqual({
      Delete: { ...place, ConditionExpression: '(owner_id = :owner)', ExpressionAttributeValues: values },
    });
    expect(sent).toEqual([]);
  });
});

describe('a single write', () => {
  it('is sent with its condition', async () => {
    const { table, sent } = aTable();
    expect(await table.tryPut({ id: '1' }, [isNew])).toBe(true);
    expect(await table.tryUpdate({ id: '1' }, rename, [isOwn])).toBe(true);
    expect(sent).toEqual([
      { TableName: 'things', Item: { id: '1' }, ConditionExpression: '(attribute_not_exists(id))' },
      {
        TableName: 'things',
        Key: { id: '1' },
        UpdateExpression: 'SET #name = :set_name',
        ConditionExpression: '(owner_id = :owner)',
        ExpressionAttributeNames: { '#name': 'name' },
        ExpressionAttributeValues: { ':set_name': 'x', ':owner': 'a' },
      },
    ]);
  });

  it('returns the requested attributes, or none', async () => {
    const { table, sent } = aTable({ Attributes: { id: '1', name: 'x' } });
    expect(await table.tryUpdateReturning('ALL_NEW', { id: '1' }, rename, [isOwn])).toEqual({ id: '1', name: 'x' });
    expect(sent).toMatchObject([{ ReturnValues: 'ALL_NEW' }]);
    expect(await aTable().table.tryUpdateReturning('UPDATED_OLD', { id: '1' }, rename, [isOwn])).toEqual({});
  });

  it.each([
    ['a put', (table: Table) => table.tryPut({ id: '1' }, [isNew]), false],
    ['an update', (table: Table) => table.tryUpdate({ id: '1' }, rename, [isOwn]), false],
    [
      'an update that returns attributes',
      (table: Table) => table.tryUpdateReturning('ALL_NEW', { id: '1' }, rename, [isOwn]),
      undefined,
    ],
  ] as const)(
    'is refused without an error if its condition fails, and throws every other error: %s',
    async (...row) => {
      const [, write, refused] = row;
      expect(await write(aTable(refusal).table)).toBe(refused);
      await expect(write(aTable(new Error('throttled')).table)).rejects.toThrow('throttled');
    },
  );
});
