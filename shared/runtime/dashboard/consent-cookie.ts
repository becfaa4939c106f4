import { hashOfBrowser } from '../../domain/connections/access/consent.ts';
import { DASHBOARD_PATH } from '../../messages/dashboard/route.ts';

const COOKIE = 'dashboard_consent';
/** The ten minutes of the consent and the hour of its confirmation. */
const COOKIE_SECONDS = 70 * 60;
const SECRET = /^[\w-]{43}$/;

/**
 * Returns the cookie that identifies the browser that began a consent. It is sent only with requests about this
 * connection, and scripts cannot read it.
 * @param secret 256 random bits
 */
export function consentCookie(dashboardUrl: string, connectionId: string, secret: string): string {
  const path = `${DASHBOARD_PATH}/connections/${connectionId}`;
  const secure = dashboardUrl.startsWith('https:') ? '; Secure' : '';
  return `${COOKIE}=${secret}; Path=${path}; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Strict${secure}`;
}

/** Returns the hash of the cookie; undefined in a browser that began no consent to this connection. */
export function browserHashIn(cookies: readonly string[]): string | undefined {
  const found = cookies.map((one) => one.trim()).find((one) => one.startsWith(`${COOKIE}=`));
  const secret = found?.slice(COOKIE.length + 1) ?? '';
  return SECRET.test(secret) ? hashOfBrowser(secret) : undefined;
}
