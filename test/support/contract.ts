import { Validator } from '@cfworker/json-schema';
import { openApiDocument } from '../../shared/messages/rest/openapi.ts';

const { paths, components } = openApiDocument();
const patterns = Object.keys(paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}));

type Response = { $ref?: string; content?: { 'application/json'?: { schema: object } } };
const validators = new Map<string, Validator>();

/**
 * Checks an answer of the API against docs/openapi.yaml, which the test of the routes' pages keeps true. Answers of the
 * dashboard's and unknown routes are not in it.
 * @throws if the document has not this status for the route, or the body has another shape or a field too many.
 */
export function expectDescribed(method: string, path: string, status: number, body: unknown): void {
  const verb = method.toLowerCase();
  const route = patterns.find((one) => one.pattern.test(path.split('?')[0] ?? '') && paths[one.path]?.[verb]);
  const operation = route && paths[route.path]?.[verb];
  if (!route || !operation) return;
  const named = `${method} ${route.path} ${status}`;
  const response = resolved(operation.responses[status] as Response | undefined);
  if (!response) throw new Error(`docs/openapi.yaml has no ${named}`);
  const schema = response.content?.['application/json']?.schema;
  if (!schema) return;
  const validator = validators.get(named) ?? new Validator(closed({ ...schema, components }) as object, '2020-12');
  validators.set(named, validator);
  const { valid, errors } = validator.validate(body);
  if (!valid) throw new Error(`${named} is not as docs/openapi.yaml says: ${JSON.stringify(errors)}`);
}

const resolved = (response: Response | undefined): Response | undefined =>
  response?.$ref ? (components.responses[response.$ref.split('/').at(-1) ?? ''] as Response) : response;

/** Forbids members that the document does not name: clients may ignore them, but we must know of them. */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed);
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in inner && 'type' in inner && !('additionalProperties' in inner)
    ? { ...inner, additionalProperties: false }
    : inner;
}
