/** Only its path matters: it stands for whatever origin the dashboard has. */
const ORIGIN = 'http://dashboard.invalid';

/**
 * Reads where to go after the sign-in. An address may come from anybody, so only paths of the dashboard count.
 * @returns '/' for everything else
 */
export function ownPath(to: unknown): string {
  // A backslash is a slash to browsers, and control characters vanish from addresses.
  if (typeof to !== 'string' || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(to) || !URL.canParse(to, ORIGIN)) return '/';
  const { origin, pathname, search, hash } = new URL(to, ORIGIN);
  if (origin !== ORIGIN || pathname.startsWith('//') || /^\/(sign-in|api|v1)(\/|$)/.test(pathname)) return '/';
  return `${pathname}${search}${hash}`;
}

/** @returns the address of the sign-in that leads back to a page */
export const signInFor = (path: string): string =>
  ownPath(path) === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ to: path })}`;

/** Where the person wanted to go; left out where that is the first page. */
export const readReturn = ({ to }: Readonly<Record<string, unknown>>): { to?: string } => {
  const path = ownPath(to);
  return path === '/' ? {} : { to: path };
};
