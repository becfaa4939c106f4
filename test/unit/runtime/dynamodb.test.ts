import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { documentClient } from '../../../shared/runtime/dynamodb.ts';

/** Sends an item through a client of the functions. @returns the item in DynamoDB's JSON */
async function sent(item: Record<string, unknown>): Promise<unknown> {
  const bodies: string[] = [];
  const db = documentClient({
    maxAttempts: 1,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    requestHandler: {
      handle: async ({ body }: { body: Uint8Array }) => {
        bodies.push(new TextDecoder().decode(body));
        return { response: new HttpResponse({ statusCode: 200, headers: {}, body: Buffer.from('{}') }) };
      },
    },
  } as never);
  await db.send(new PutCommand({ TableName: 'calls', Item: item }));
  return JSON.parse(bodies[0] ?? '{}').Item;
}

describe('the document client', () => {
  it('stores members of any name, as the fields of a lead or of a schema may have', async () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'length', 'name', 'then', ''];
    for (const name of names) {
      const members = Object.fromEntries([[name, 'Mehta Builders']]);
      expect(await sent({ call_id: 'call_1', lead: { fields: members } })).toEqual({
        call_id: { S: 'call_1' },
        lead: { M: { fields: { M: Object.fromEntries([[name, { S: 'Mehta Builders' }]]) } } },
      });
    }
  });

  it('omits undefined members', async () => {
    expect(await sent({ call_id: 'call_1', lead: { fields: { a: undefined } } })).toEqual({
      call_id: { S: 'call_1' },
      lead: { M: { fields: { M: {} } } },
    });
  });
});
