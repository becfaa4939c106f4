/** A placeholder for the dashboard's origin; only paths matter. */
const ORIGIN = 'http://dashboard.invalid';

/**
 * Reads the page to show after the sign-in. Anyone can invent an address, so only paths of the dashboard are accepted.
 * @returns '/' for everything else
 */
export function safeReturnPath(to: unknown): string {
  // Browsers treat a backslash as a slash, and drop control characters from addresses.
  if (typeof to !== 'string' || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(to) || !URL.canParse(to, ORIGIN)) return '/';
  const { origin, pathname, search, hash } = new URL(to, ORIGIN);
  if (origin !== ORIGIN || pathname.startsWith('//') || /^\/(sign-in|api|v1)(\/|$)/.test(pathname)) return '/';
  return `${pathname}${search}${hash}`;
}

/** @returns the address of the sign-in that leads back to a page */
export const signInPath = (path: string): string =>
  safeReturnPath(path) === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ to: path })}`;

/** The page that the person wanted; omitted if it is the first page. */
export const readReturnSearch = ({ to }: Readonly<Record<string, unknown>>): { to?: string } => {
  const path = safeReturnPath(to);
  return path === '/' ? {} : { to: path };
};
