export type Outcome = { kind: 'ok' | 'failed' | 'skipped'; sentence: string };
export type Ran = { code: number | null; output: string };

/** Reads the end of `npm audit signatures`. */
export function signaturesOutcome({ code, output }: Ran): Outcome {
  const lines = output.split('\n');
  const bad = lines.find((line) => /\b(?:invalid|missing) (?:registry signature|attestation)/.test(line));
  if (bad) return { kind: 'failed', sentence: bad.trim() };
  const verified = lines.find((line) => /\bverified registry signature/.test(line));
  if (code === 0 && verified) return { kind: 'ok', sentence: verified.trim() };
  return { kind: 'skipped', sentence: `the registry offers no signatures (${reasonIn(output)})` };
}

/** Reads the end of `npm audit --json`. */
export function advisoriesOutcome({ code, output }: Ran): Outcome {
  const counts = countsIn(output);
  if (!counts) return { kind: 'skipped', sentence: `the registry offers no advisories (${reasonIn(output)})` };
  const found = Object.entries(counts).filter(([level, count]) => level !== 'total' && count > 0);
  const sentence = found.map(([level, count]) => `${count} ${level}`).join(', ') || 'no known vulnerabilities';
  return { kind: code === 0 ? 'ok' : 'failed', sentence };
}

function countsIn(output: string): Record<string, number> | undefined {
  try {
    return JSON.parse(output.slice(output.indexOf('{'))).metadata?.vulnerabilities;
  } catch {
    return undefined;
  }
}

const reasonIn = (output: string): string =>
  /^npm (?:error|warn audit) (?:code )?(?<reason>.+)$/m.exec(output)?.groups?.reason?.trim() ?? 'no answer in time';
