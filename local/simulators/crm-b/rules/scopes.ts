type Operation = 'ALL' | 'READ' | 'CREATE' | 'UPDATE' | 'WRITE' | 'DELETE';

/** A right that a route needs: `ZohoCRM.{area}[.{part}].{operation}`. */
export type Need = { area: string; part?: string; operation: Operation };

/**
 * Returns whether scopes cover a need. WRITE covers CREATE and UPDATE, ALL covers everything; an area covers all its
 * parts.
 */
export function covers(granted: string[], { area, part, operation }: Need): boolean {
  const enough = operation === 'CREATE' || operation === 'UPDATE' ? `ALL|WRITE|${operation}` : `ALL|${operation}`;
  const pattern = new RegExp(`^ZohoCRM\\.${area}${part ? `(\\.${part})?` : ''}\\.(${enough})$`, 'i');
  return granted.some((scope) => pattern.test(scope));
}
