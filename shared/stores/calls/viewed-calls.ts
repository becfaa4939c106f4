import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { viewedCallSchema } from '../../domain/calls/parts/viewed-call.ts';
import { shownSchemaOf } from '../../domain/newer-values.ts';
import { jsonFromItem } from './call-json.ts';
import { callPart } from './call-parts.ts';

const schema = shownSchemaOf(viewedCallSchema);

/** Builds the reader of the part of a call that the REST API shows, even if a newer version wrote the call. */
export const viewedCall = (db: DynamoDBDocumentClient, table: string) =>
  callPart(db, table, (item) => schema.parse(jsonFromItem(item)));
