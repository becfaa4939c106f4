import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';

type Item = Record<string, unknown>;

/** Writes at once; each is small. */
const AT_ONCE = 20;

/**
 * Copies the items that a table lacks from another one.
 * @param key the partition key. @param copyOf gives an item's copy, or undefined for one that is left. @param replaces
 * chooses those that take the place of an item; the table keeps all others that it has.
 * @returns how many were copied.
 */
export async function copyMissing(
  db: DynamoDBDocumentClient,
  from: string,
  {
    to,
    key,
    copyOf = (item) => item,
    replaces = () => false,
  }: { to: string; key: string; copyOf?: (item: Item) => Item | undefined; replaces?: (item: Item) => boolean },
): Promise<number> {
  let copied = 0;
  const put = async (Item: Item) => {
    try {
      await db.send(
        new PutCommand({
          TableName: to,
          Item,
          ...(!replaces(Item) && {
            ConditionExpression: 'attribute_not_exists(#key)',
            ExpressionAttributeNames: { '#key': key },
          }),
        }),
      );
      copied += 1;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  };
  for await (const { Items = [] } of paginateScan({ client: db }, { TableName: from })) {
    const chosen = Items.map(copyOf).filter((item) => item !== undefined);
    while (chosen.length > 0) await Promise.all(chosen.splice(0, AT_ONCE).map(put));
  }
  return copied;
}
