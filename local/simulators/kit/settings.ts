import type * as z from 'zod';

/** Selects the changes that belong to a schema's settings. Undefined values are omitted. */
export function changesOf<Shape extends z.core.$ZodLooseShape>(
  schema: z.ZodObject<Shape>,
  changes: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(changes).filter(([name, value]) => name in schema.shape && value !== undefined),
  );
}
