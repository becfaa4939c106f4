import { z } from 'zod';

/** Converts digits: the CDK's context holds text. Unlike Number(), leaves true, null, '' and lists as they are. */
export const fromDigits = (given: unknown): unknown =>
  typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : given;

/** Returns the message for a value of the wrong type. Other mistakes have their own messages. */
export const ofForm =
  (example: string) =>
  ({ code }: { code?: string }): string | undefined =>
    code === 'invalid_type' ? `must be ${example}` : undefined;

export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    fromDigits,
    z
      .number({ error: ofForm(`a whole number, such as ${least}`) })
      .int()
      .min(least)
      .max(most),
  );

export const flag = z.union([z.boolean(), z.stringbool()], { error: 'must be true or false' });

/** The name of a region, checked only by its form, so that a new region needs no new version. */
export const regionName = z
  .string({ error: 'must be an AWS region, such as ap-south-1' })
  .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'must be an AWS region, such as ap-south-1');

/** The address of another system, without TLS on the local stage. */
export const address = z.url({ protocol: /^https?$/, error: 'must be an address, such as https://api.example.com' });

/** Returns whether text is an origin: an address without credentials, path, query and fragment. */
function isOrigin(text: string): boolean {
  if (!/^https?:/.test(text) || !URL.canParse(text)) return false;
  const { origin, href } = new URL(text);
  return href === `${origin}/`;
}

/** @param reason why it may have no path */
export const origin = (reason: string) => {
  const error = `must be an address without a path, such as https://calls.example.com: ${reason}`;
  return z.string({ error }).refine(isOrigin, error);
};
