import type { Accepted } from './exceptions.ts';

/** `accepted`: a failure or a missing service that an exception names (docs/deploy.md). */
export type Outcome = { kind: 'ok' | 'accepted' | 'failed' | 'skipped'; sentence: string };
export type Ran = { code: number | null; output: string };

/** Reads the result of `npm audit signatures`. */
export function signaturesOutcome({ code, output }: Ran, accepted: Accepted = new Map()): Outcome {
  const lines = output.split('\n');
  const bad = lines.find((line) => /\b(?:invalid|missing) (?:registry signature|attestation)/.test(line));
  if (bad) return { kind: 'failed', sentence: bad.trim() };
  const verified = lines.find((line) => /\bverified registry signature/.test(line));
  if (code === 0 && verified) return { kind: 'ok', sentence: verified.trim() };
  return missing('signatures', output, accepted);
}

/** Reads the result of `npm audit --json`. */
export function advisoriesOutcome({ code, output }: Ran, accepted: Accepted = new Map()): Outcome {
  const report = reportIn(output);
  const counts = report?.metadata?.vulnerabilities;
  if (!counts) return missing('advisories', output, accepted);
  const found = Object.entries(counts).filter(([level, count]) => level !== 'total' && count > 0);
  const sentence = found.map(([level, count]) => `${count} ${level}`).join(', ') || 'no known vulnerabilities';
  if (code === 0) return { kind: 'ok', sentence };
  const ids = seriousIn(report);
  const words = [...ids].map((id) => accepted.get(id));
  if (words.length === 0 || words.includes(undefined)) return { kind: 'failed', sentence };
  return { kind: 'accepted', sentence: `${sentence}; accepted ${words.join('; ')}` };
}

function missing(service: 'signatures' | 'advisories', output: string, accepted: Accepted): Outcome {
  const sentence = `the registry offers no ${service} (${reasonIn(output)})`;
  const words = accepted.get(service);
  return words ? { kind: 'accepted', sentence: `${sentence}; accepted ${words}` } : { kind: 'skipped', sentence };
}

/** The part of npm's report that the audit reads. A text in `via` names a package that has the advisory. */
type Report = {
  metadata?: { vulnerabilities?: Record<string, number> };
  vulnerabilities?: Record<string, { via?: (string | { url?: string; severity?: string })[] }>;
};

/** Lists the advisories that fail the audit (`--audit-level=high`), by their ids. */
function seriousIn({ vulnerabilities = {} }: Report): Set<string> {
  const found = Object.values(vulnerabilities).flatMap(({ via = [] }) => via.filter((one) => typeof one === 'object'));
  const serious = found.filter(({ severity = 'critical' }) => severity === 'high' || severity === 'critical');
  return new Set(serious.map(({ url = '' }) => url.split('/').at(-1) ?? ''));
}

function reportIn(output: string): Report | undefined {
  try {
    return JSON.parse(output.slice(output.indexOf('{')));
  } catch {
    return undefined;
  }
}

const reasonIn = (output: string): string =>
  /^npm (?:error|warn audit) (?:code )?(?<reason>.+)$/m.exec(output)?.groups?.reason?.trim() ?? 'no answer in time';
