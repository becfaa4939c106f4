import type { Analysis } from '../../domain/calls/analysis.ts';
import { readJsonAsWritten } from '../../domain/text/exact-json.ts';
import type { Item } from '../dynamodb/transaction.ts';

/** Converts the result to JSON text, because DynamoDB limits both the nesting and the precision of numbers. */
export const storedAnalysis = (analysis: Analysis): object => ({
  ...analysis,
  result: analysis.result && JSON.stringify(analysis.result),
});

export function parseAnalysis(stored: unknown): unknown {
  const { result } = (stored ?? {}) as { result?: string };
  return result === undefined ? stored : { ...(stored as object), result: JSON.parse(result) };
}

/** Returns the item of a call with the values that are stored as JSON text. */
export const jsonFromItem = (item: Item): Item => ({
  ...item,
  request_metadata: readJsonAsWritten(String(item.request_metadata)),
  analysis: parseAnalysis(item.analysis),
});
