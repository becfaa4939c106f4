const regions = new Intl.DisplayNames('en', { type: 'region' });

/** "IN" → "India" */
export function regionName(code: string): string {
  try {
    return regions.of(code) ?? code;
  } catch {
    return code;
  }
}
