/**
 * Reads the person's id from a token. Does not verify the token; only the API does.
 * @returns '' if it cannot be read
 */
export function readSubject(token: string): string {
  try {
    const claims = JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')));
    return typeof claims.sub === 'string' ? claims.sub : '';
  } catch {
    return '';
  }
}
