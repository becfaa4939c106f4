import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { recordedCallSchema } from '../../domain/calls/parts/recorded-call.ts';
import { shownSchemaOf } from '../../domain/newer-values.ts';
import { callPart } from './call-parts.ts';

const schema = shownSchemaOf(recordedCallSchema);

/** Builds the reader of the part of a call that opens its recording, even if a newer version wrote the call. */
export const recordedCall = (db: DynamoDBDocumentClient, table: string) =>
  callPart(db, table, (item) => schema.parse(item));
