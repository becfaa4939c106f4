import { GetCommand, PutCommand, QueryCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { clientOf, database } from './database.ts';
import { reservedWords } from './reserved-words.ts';

const of = { TableName: 'organizations' };
const Key = { org_id: 'org1' };
const values = { ExpressionAttributeValues: { ':one': 'one' } };
const query = { TableName: 'audit', KeyConditionExpression: 'org_id = :one', ...values };

describe('the database of the tests', () => {
  it.each([
    ['UpdateExpression', 'lead', new UpdateCommand({ ...of, Key, UpdateExpression: 'SET lead = :one', ...values })],
    ['UpdateExpression', 'Ttl', new UpdateCommand({ ...of, Key, UpdateExpression: 'REMOVE name_2, Ttl' })],
    [
      'ConditionExpression',
      'size',
      new PutCommand({ ...of, Item: Key, ConditionExpression: 'size > :one', ...values }),
    ],
    [
      'ConditionExpression',
      'status',
      new PutCommand({
        ...of,
        Item: Key,
        ConditionExpression: 'NOT (#call.status IN (:one))',
        ExpressionAttributeNames: { '#call': 'call' },
        ...values,
      }),
    ],
    [
      'KeyConditionExpression',
      'at',
      new QueryCommand({ ...query, KeyConditionExpression: 'org_id = :one AND at > :one' }),
    ],
    ['FilterExpression', 'hold', new QueryCommand({ ...query, FilterExpression: 'attribute_exists(hold)' })],
    ['FilterExpression', 'hold', new ScanCommand({ ...of, FilterExpression: 'begins_with(hold, :one)', ...values })],
    ['ProjectionExpression', 'name', new GetCommand({ ...of, Key, ProjectionExpression: 'org_id, name' })],
  ])('refuses a reserved word without a placeholder, as in %s: %s', async (kind, word, command) => {
    const message = `Invalid ${kind}: Attribute name is a reserved keyword; reserved keyword: ${word}`;
    const answer = clientOf(database().send).send(command as never);
    await expect(answer).rejects.toMatchObject({ name: 'ValidationException', message });
  });

  it('accepts reserved words as keywords, functions, placeholders and parts of names', async () => {
    const db = database({ organizations: [{ ...Key, name: 'one', parts: ['one'] }] });
    await clientOf(db.send).send(
      new UpdateCommand({
        ...{ ...of, Key },
        UpdateExpression:
          'SET #lead = :lead, status_of = if_not_exists(status_of, :lead) ADD count_of :add REMOVE parts',
        ConditionExpression:
          'NOT (#name IN (:lead)) AND (size(parts) BETWEEN :add AND :add OR attribute_exists(#lead))',
        ExpressionAttributeNames: { '#lead': 'lead', '#name': 'name' },
        ExpressionAttributeValues: { ':lead': 'x', ':add': 1 },
      }),
    );
    expect(db.all('organizations')).toEqual([{ ...Key, name: 'one', lead: 'x', status_of: 'x', count_of: 1 }]);
  });

  it('knows all 573 reserved words', () => {
    expect([reservedWords.size, reservedWords.has('ABORT'), reservedWords.has('ZONE')]).toEqual([573, true, true]);
  });
});
