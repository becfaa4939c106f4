import * as z from 'zod/mini';
import { instant } from '../../messages/dashboard/page.ts';
import type { RestAnswer, RestRequest } from '../rest/rest-route.ts';
import { decline, type Field } from './dashboard-answer.ts';

const MAX_BYTES = 64 * 1024;

export type Read<T> = { ok: true; value: T } | { ok: false; answer: RestAnswer };

const refused = (...[declined]: Parameters<typeof decline>): { ok: false; answer: RestAnswer } => ({
  ok: false,
  answer: decline(declined),
});

/** Validates a value that a browser sent. @param what the name of the value, for the message. */
export function readInput<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  what: string,
): Read<z.output<Schema>> {
  const result = schema.safeParse(value);
  if (result.success) return { ok: true, value: result.data };
  const fields = result.error.issues.map(({ path, message }): Field => ({ path: path.join('.'), message }));
  return refused({ error: 'invalid_request', message: `${what} does not match the documentation.`, fields });
}

/**
 * Makes texts storable in every table and remote system: replaces each lone surrogate, and each NUL by another control
 * character. The length stays the same, so that the schema counts the characters that were sent.
 * @throws SyntaxError if a member's name is not storable
 */
function asText(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\x7f');
  const isWrong = (name: string) => !name.isWellFormed() || name.includes('\0');
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).some(isWrong))
    throw new SyntaxError('the name of a member is not text');
  return value;
}

/**
 * Reads and validates a JSON body. A body without the JSON content type is refused, because a foreign form could send
 * it.
 */
export function readBody<Schema extends z.ZodMiniType>(
  schema: Schema,
  { headers, body }: Pick<RestRequest, 'headers' | 'body'>,
  mostBytes = MAX_BYTES,
): Read<z.output<Schema>> {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    return refused({ error: 'unsupported_media_type', message: 'Send the body as application/json.' });
  if (body.length > mostBytes)
    return refused({ error: 'payload_too_large', message: `The body must not exceed ${mostBytes} bytes.` });
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'), asText);
  } catch {
    return refused({ error: 'invalid_request', message: 'The body is not valid JSON.' });
  }
  return readInput(schema, value, 'The body');
}

/** Reads the header that identifies a repeated request. */
export function readIdempotencyKey(
  { headers }: Pick<RestRequest, 'headers'>,
  kind: 'required' | 'optional',
): Read<string | undefined> {
  const key = headers['idempotency-key'];
  if (key === undefined && kind === 'optional') return { ok: true, value: key };
  if (key !== undefined && /^[\w-]{8,64}$/.test(key)) return { ok: true, value: key };
  const message = 'Send an Idempotency-Key of 8 to 64 letters, digits, _ and -, new for each action.';
  return refused({ error: 'invalid_request', message });
}

/** Returns an opaque cursor of the keys after which a page begins. The keys name no organization. */
export const writeCursor = (keys: object | undefined): string | null =>
  keys ? Buffer.from(JSON.stringify(keys)).toString('base64url') : null;

/** Reads the keys in a cursor. @param schema of the keys. @returns undefined if there is no cursor. */
export function readCursor<Schema extends z.ZodMiniType>(
  schema: Schema,
  next: string | undefined,
): Read<z.output<Schema> | undefined> {
  if (next === undefined) return { ok: true, value: undefined };
  let keys: unknown;
  try {
    keys = JSON.parse(Buffer.from(next, 'base64url').toString('utf8'));
  } catch {
    keys = undefined;
  }
  const read = schema.safeParse(keys);
  if (read.success) return { ok: true, value: read.data };
  return noSuchPage();
}

/** Refuses the cursor of another list. */
export const noSuchPage = () =>
  refused({
    error: 'invalid_request',
    message: 'The list has no such page.',
    fields: [{ path: 'next', message: 'Use the `next` of an earlier answer, unchanged.' }],
  });

const STANDARD_LIMIT = 50;

/** Returns the number of items in a page. */
export const limitOf = ({ limit }: { limit?: string | undefined }): number => Number(limit ?? STANDARD_LIMIT);

/** The cursor keys that are instants. Lists query ranges of them, and DynamoDB rejects a key outside of a range. */
const INSTANTS: readonly string[] = ['at', 'created_at', 'dial_by'];

/** DynamoDB rejects half a surrogate pair. */
const textKey: z.ZodMiniType<string> = z.string().check(
  z.minLength(1),
  z.maxLength(512),
  z.refine((text) => text.isWellFormed()),
);

/** Creates the schema of a cursor whose keys are texts. Anyone can write a cursor, so it must not make a query fail. */
export const cursorOf = <Name extends string>(...names: Name[]) =>
  z.strictObject(
    Object.fromEntries(names.map((name) => [name, INSTANTS.includes(name) ? instant : textKey])) as Record<
      Name,
      z.ZodMiniType<string>
    >,
  );
