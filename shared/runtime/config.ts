import * as z from 'zod/mini';
import { type Retention, readRetention } from '../domain/organizations/retention.ts';

/**
 * Reads a function's settings from its environment.
 * @param shape the variables and their schemas.
 * @throws Error that names all missing or invalid variables, never their values.
 */
export function readConfig<Shape extends z.core.$ZodShape>(
  shape: Shape,
  environment: Record<string, string | undefined> = process.env,
): z.infer<z.ZodMiniObject<Shape>> {
  const result = z.object(shape).safeParse(environment);
  if (result.success) return result.data;
  const names = new Set(result.error.issues.map(({ path }) => path.join('.')));
  throw new Error(`missing or wrong settings: ${[...names].join(', ')}`);
}

/** Schema of a variable that holds an integer. */
export const integer = z.pipe(
  z.string().check(z.regex(/^\d+$/)),
  z.transform((text: string) => Number(text)),
);

/** Schema of a variable that holds `true` or `false`. */
export const flag = z.pipe(
  z.enum(['true', 'false']),
  z.transform((text: 'true' | 'false') => text === 'true'),
);

/** Schema of the stage's default retention; without the variable, data is kept for good. */
export const retention = z.pipe(
  z.optional(z.string()),
  z.transform((text: string | undefined): Retention => (text === undefined ? {} : readRetention(text))),
);
