/** A right that a route asks for: `Desk.{area}.{operation}`. */
export type Need = { area: string; operation: 'READ' | 'CREATE' | 'UPDATE' };

/** ALL covers everything; the vendor's own name of a scope begins with Desk, the interface's with HB. */
export function covers(granted: string[], { area, operation }: Need): boolean {
  const pattern = new RegExp(`^(Desk|HB)\\.${area}\\.(ALL|${operation})$`, 'i');
  return granted.some((scope) => pattern.test(scope));
}
