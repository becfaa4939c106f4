import * as z from 'zod';

/** An exception ends soon, so that a person decides again. */
const MAX_DAYS = 30;

const common = { until: z.iso.date(), reason: z.string().min(10) };

/** The content of `.github/audit-exceptions.json`. */
const exceptionsSchema = z.array(
  z.union([
    z.strictObject({ advisory: z.string().regex(/^GHSA(-[0-9a-z]{4}){3}$/), ...common }),
    z.strictObject({ unavailable: z.enum(['signatures', 'advisories']), ...common }),
  ]),
);

/** The accepted failures by their advisory or check, each with its text for the log of the audit. */
export type Accepted = ReadonlyMap<string, string>;

/**
 * Reads the exceptions that apply on a day, and ignores expired ones.
 * @param today such as 2026-11-27 @throws ZodError, SyntaxError, or RangeError for an exception of more than 30 days
 */
export function readExceptions(text: string, today: string): Accepted {
  const latest = new Date(Date.parse(today) + MAX_DAYS * 86_400_000).toISOString().slice(0, 10);
  const accepted = new Map<string, string>();
  for (const exception of exceptionsSchema.parse(JSON.parse(text))) {
    const name = 'advisory' in exception ? exception.advisory : exception.unavailable;
    const { until, reason } = exception;
    if (until > latest) throw new RangeError(`the exception of ${name} must end within ${MAX_DAYS} days`);
    if (until >= today) accepted.set(name, `${name} until ${until}: ${reason}`);
  }
  return accepted;
}
