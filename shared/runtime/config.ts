import * as z from 'zod/mini';

/**
 * Reads a function's settings from its environment; names everything that is missing or wrong at once.
 * @param shape the names and their schemas. @param environment process.env unless a test gives another.
 * @throws Error naming the variables, never their values.
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

/** A whole number in a variable. */
export const integer = z.pipe(
  z.string().check(z.regex(/^\d+$/)),
  z.transform((text: string) => Number(text)),
);

/** `true` or `false` in a variable. */
export const flag = z.pipe(
  z.enum(['true', 'false']),
  z.transform((text: 'true' | 'false') => text === 'true'),
);
