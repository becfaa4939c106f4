import { type DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { conditionalTable } from '../../../shared/stores/dynamodb/conditional-table.ts';

type Item = Record<string, unknown>;

/** Concurrent writes; each is small. */
const AT_ONCE = 20;

/**
 * Copies missing items from another table.
 * @param key the partition key
 * @param copyOf returns an item's copy, or undefined to skip it
 * @param replaces returns whether an item overwrites an existing one. Without it, an existing item stays, unless both
 * have a `read_at` and the copy's is newer
 * @returns the number of copied items
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
  const writes = conditionalTable(db, to);
  const put = async (item: Item) => {
    const { read_at } = item;
    const isNew =
      read_at === undefined
        ? { expression: `attribute_not_exists(#${key})` }
        : { expression: `attribute_not_exists(#${key}) OR read_at < :read_at`, values: { read_at } };
    if (await writes.tryPut(item, replaces(item) ? [] : [isNew])) copied += 1;
  };
  for await (const { Items = [] } of paginateScan({ client: db }, { TableName: from })) {
    const chosen = Items.map(copyOf).filter((item) => item !== undefined);
    while (chosen.length > 0) await Promise.all(chosen.splice(0, AT_ONCE).map(put));
  }
  return copied;
}
