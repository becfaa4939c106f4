import * as z from 'zod/mini';

export type Json = Record<string, unknown>;

/** The body of the gateway's own answers (docs/rest-api.md, "Answers of API Gateway"). */
export const gatewayError = {
  type: 'object',
  description: 'The gateway answers this without a function: repeat 429, 500 and 503.',
  properties: { message: { type: 'string' } },
  required: ['message'],
};

export const json = (schema: Json) => ({ 'application/json': { schema } });

export const jsonBody = (schema: Json) => ({ required: true, content: json(schema) });

export const filesBody = {
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        properties: {
          files: { type: 'array', items: { type: 'string', contentMediaType: 'application/octet-stream' } },
        },
        required: ['files'],
      },
    },
  },
};

export const parametersInPath = (path: string): Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

/** Returns functions that build JSON schemas in which named schemas become references, even when nested. */
export function schemasNamed(named: Readonly<Record<string, z.ZodMiniType>>) {
  const nameOf = new Map<z.core.$ZodType, string>(Object.entries(named).map(([name, schema]) => [schema, name]));
  const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

  function definitionOf(schema: z.ZodMiniType): Json {
    const { $schema: _, ...definition } = z.toJSONSchema(schema, {
      // Without this, additional properties would be forbidden, and a new field would break clients.
      io: 'input',
      override({ zodSchema, jsonSchema }) {
        const name = zodSchema === (schema as z.core.$ZodType) ? undefined : nameOf.get(zodSchema);
        if (name) {
          for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
          Object.assign(jsonSchema, refTo(name));
        }
        if (jsonSchema.format) delete jsonSchema.pattern;
        // Names of members are always strings.
        delete jsonSchema.propertyNames;
      },
    });
    return definition as Json;
  }

  return {
    definitions: (): Json =>
      Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, definitionOf(schema)])),
    schemaOf(schema: z.ZodMiniType): Json {
      const name = nameOf.get(schema);
      return name ? refTo(name) : definitionOf(schema);
    },
  };
}
