/** A right that a route needs: `Desk.{area}.{operation}`. */
export type Need = { area: string; operation: 'READ' | 'CREATE' | 'UPDATE' | 'DELETE' };

/** Returns whether scopes cover a need. The vendor's scopes begin with `Desk`, the service's default ones with `HB`. */
export function covers(granted: string[], { area, operation }: Need): boolean {
  const pattern = new RegExp(`^(Desk|HB)\\.${area}\\.(ALL|${operation})$`, 'i');
  return granted.some((scope) => pattern.test(scope));
}
