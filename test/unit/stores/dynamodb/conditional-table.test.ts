import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { conditionalTable } from '../../../../shared/stores/dynamodb/conditional-table.ts';

const refusal = new ConditionalCheckFailedException({ $metadata: {}, message: 'refused' });
const isNew = { expression: 'attribute_not_exists(id)' };
const isOwn = { expression: 'owner_id = :owner', values: { owner: 'a' } };

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
  it('has its condition, and reveals the stored item only on request', () => {
    const { table, sent } = aTable();
    expect(table.put({ id: '1' }, [isNew])).toEqual({
      Put: {
        TableName: 'things',
        Item: { id: '1' },
        ConditionExpression: '(attribute_not_exists(id))',
        ReturnValuesOnConditionCheckFailure: 'NONE',
      },
    });
    expect(table.put({ id: '1' }, [isNew], 'ALL_OLD').Put?.ReturnValuesOnConditionCheckFailure).toBe('ALL_OLD');
    expect(table.update({ id: '1' }, { add: { live: 1 } })).toEqual({
      Update: {
        TableName: 'things',
        Key: { id: '1' },
        UpdateExpression: 'ADD #live :add_live',
        ExpressionAttributeNames: { '#live': 'live' },
        ExpressionAttributeValues: { ':add_live': 1 },
        ReturnValuesOnConditionCheckFailure: 'NONE',
      },
    });
    expect(table.delete({ id: '1' }, [isOwn])).toEqual({
      Delete: {
        TableName: 'things',
        Key: { id: '1' },
        ConditionExpression: '(owner_id = :owner)',
        ExpressionAttributeValues: { ':owner': 'a' },
      },
    });
    expect(sent).toEqual([]);
  });
});

describe('a single write', () => {
  it('is sent with its condition', async () => {
    const { table, sent } = aTable();
    expect(await table.tryPut({ id: '1' }, [isNew])).toBe(true);
    expect(await table.tryUpdate({ id: '1' }, { set: { name: 'x' } }, [isOwn])).toBe(true);
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
    const change = { set: { name: 'x' } };
    expect(await table.tryUpdateReturning('ALL_NEW', { id: '1' }, change, [isOwn])).toEqual({ id: '1', name: 'x' });
    expect(sent).toMatchObject([{ ReturnValues: 'ALL_NEW' }]);
    expect(await aTable().table.tryUpdateReturning('UPDATED_OLD', { id: '1' }, change, [isOwn])).toEqual({});
  });

  it('is refused without an error if its condition fails', async () => {
    const { table } = aTable(refusal);
    expect(await table.tryPut({ id: '1' }, [isNew])).toBe(false);
    expect(await table.tryUpdate({ id: '1' }, { set: { name: 'x' } }, [isOwn])).toBe(false);
    expect(await table.tryUpdateReturning('ALL_NEW', { id: '1' }, { set: { name: 'x' } }, [isOwn])).toBeUndefined();
  });

  it('throws every other error', async () => {
    const { table } = aTable(new Error('throttled'));
    await expect(table.tryPut({ id: '1' }, [isNew])).rejects.toThrow('throttled');
    await expect(table.tryUpdate({ id: '1' }, { remove: ['name'] }, [isOwn])).rejects.toThrow('throttled');
    await expect(table.tryUpdateReturning('ALL_NEW', { id: '1' }, { remove: ['name'] }, [])).rejects.toThrow(
      'throttled',
    );
  });
});
