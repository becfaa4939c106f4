/** A mapping from values of an extracted field, as rows of a table. */
export type MappingValues = { field: string; rows: { from: string; to: string }[]; fallback: string };

/** The default priority mapping (docs/help-desk.md, "Settings"). */
export const standardPriority: MappingValues = {
  field: 'lead_intent',
  rows: [
    { from: 'complaint', to: 'High' },
    { from: 'support_request', to: 'High' },
    { from: 'callback', to: 'Low' },
  ],
  fallback: '',
};

/** @param stored setting; undefined if not set */
export function readMapping(stored: unknown): MappingValues | undefined {
  if (stored === undefined) return undefined;
  const { field, values, fallback } = Object(stored) as Record<string, unknown>;
  return {
    field: String(field ?? ''),
    rows: Object.entries(Object(values) as object).map(([from, to]) => ({ from, to: String(to) })),
    fallback: typeof fallback === 'string' ? fallback : '',
  };
}

/** @returns the setting; incomplete rows are left out */
export function mappingOf(values: MappingValues | undefined) {
  if (!values) return undefined;
  const rows = values.rows.map(({ from, to }) => [from.trim(), to.trim()] as const);
  const fallback = values.fallback.trim();
  return {
    field: values.field.trim(),
    values: Object.fromEntries(rows.filter(([from, to]) => from !== '' && to !== '')),
    ...(fallback !== '' && { fallback }),
  };
}
