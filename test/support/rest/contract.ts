import { Validator } from '@cfworker/json-schema';
import { dashboardOpenApiDocument } from '../../../shared/messages/dashboard/openapi.ts';
import { openApiDocument } from '../../../shared/messages/rest/openapi.ts';

type Response = { $ref?: string; content?: { 'application/json'?: { schema: object } } };
type Described = {
  paths: Record<string, Record<string, { responses?: unknown }>>;
  components: { responses: Record<string, object> };
};

const documents: Record<string, Described> = {
  'docs/openapi.yaml': openApiDocument(),
  'docs/openapi-dashboard.yaml': dashboardOpenApiDocument(),
};
const described = Object.entries(documents).flatMap(([file, { paths, components }]) =>
  Object.entries(paths).map(([path, operations]) => ({
    ...{ file, path, operations, components },
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
  })),
);
const validators = new Map<string, Validator>();

/**
 * Compares an answer of the API with the OpenAPI documents, which test/infra/routes.test.ts compares with the routes.
 * The documents omit answers of unknown routes.
 * @throws if the document does not list this status for the route, or the body has another form or an extra member
 */
export function expectDescribed(method: string, path: string, status: number, body: unknown): void {
  const verb = method.toLowerCase();
  const route = described.find((one) => one.pattern.test(path.split('?')[0] ?? '') && one.operations[verb]);
  if (!route) return;
  const { file, components } = route;
  const responses = (route.operations[verb]?.responses ?? {}) as Record<string, Response>;
  const named = `${method} ${route.path} ${status}`;
  const response = resolved(responses[status], components);
  if (!response) throw new Error(`${file} has no ${named}`);
  const schema = response.content?.['application/json']?.schema;
  if (!schema) return;
  const validator = validators.get(named) ?? new Validator(closed({ ...schema, components }) as object, '2020-12');
  validators.set(named, validator);
  const { valid, errors } = validator.validate(body);
  if (!valid) throw new Error(`${named} is not as ${file} says: ${JSON.stringify(errors)}`);
}

const resolved = (response: Response | undefined, components: Described['components']): Response | undefined =>
  response?.$ref ? (components.responses[response.$ref.split('/').at(-1) ?? ''] as Response) : response;

/** Forbids members that the document does not name: clients may ignore them, but we must document them. */
function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed);
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in inner && 'type' in inner && !('additionalProperties' in inner)
    ? { ...inner, additionalProperties: false }
    : inner;
}
