import * as z from 'zod/mini';
import { analyzedCall, call, outboundBody, queuedCall } from './calls.ts';
import { knowledgeEntries } from './knowledge.ts';

export type Json = Record<string, unknown>;

/** Schemas that a client's generator should name. */
const named = {
  OutboundCall: outboundBody,
  QueuedCall: queuedCall,
  Call: call,
  AnalyzedCall: analyzedCall,
  KnowledgeEntries: knowledgeEntries,
};
const nameOf = new Map<z.ZodMiniType, string>(Object.entries(named).map(([name, schema]) => [schema, name]));

/** The named schemas, and the body of the gateway's own answers. */
export const definitions = (): Json => ({
  ...Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, definitionOf(schema)])),
  GatewayError: {
    type: 'object',
    description: 'What the gateway answers when no function does: repeat 429, 500 and 503.',
    properties: { message: { type: 'string' } },
    required: ['message'],
  },
});

export const json = (schema: Json) => ({ 'application/json': { schema } });

/** @returns the JSON schema, or a reference to it if it has a name */
export function schemaOf(schema: z.ZodMiniType): Json {
  const name = nameOf.get(schema);
  return name ? { $ref: `#/components/schemas/${name}` } : definitionOf(schema);
}

function definitionOf(schema: z.ZodMiniType): Json {
  const { $schema: _, ...definition } = z.toJSONSchema(schema, {
    // Without this, additional properties would be forbidden, and a new field would break clients.
    io: 'input',
    override({ jsonSchema }) {
      if (jsonSchema.format) delete jsonSchema.pattern;
      // Names of members are always strings.
      delete jsonSchema.propertyNames;
    },
  });
  return definition as Json;
}
