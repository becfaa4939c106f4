import * as z from 'zod/mini';
import type { DashboardRoute } from './route.ts';

/** Cognito accepts at most 256 characters, so longer texts are refused without a request to it. */
const password = z.string().check(z.minLength(1), z.maxLength(256));
/** As in Cognito's API reference, "AdminRespondToAuthChallenge". */
const MAX_SESSION = 2048;
const email = z.string().check(z.minLength(1), z.maxLength(254));
const code = z.string().check(z.regex(/^\s*\d{4,10}\s*$/));

/** A new or renewed session. The refresh token is only in the cookie. */
const session = z.object({
  access_token: z.string(),
  /** Seconds. */
  expires_in: z.number(),
});

export type Session = z.infer<typeof session>;

const firstPassword = z.object({
  challenge: z.literal('new_password'),
  /** Must be sent back with the new password, within minutes. */
  challenge_session: z.string(),
});

export const signIn = {
  method: 'POST',
  path: '/session',
  role: 'none',
  request: z.union([
    z.strictObject({ email, password }),
    z.strictObject({
      email,
      new_password: password,
      challenge_session: z.string().check(z.minLength(20), z.maxLength(MAX_SESSION)),
    }),
  ]),
  answer: z.union([session, firstPassword]),
} as const satisfies DashboardRoute;

export const refreshSession = {
  method: 'POST',
  path: '/session/refresh',
  role: 'none',
  request: z.strictObject({}),
  answer: session,
} as const satisfies DashboardRoute;

export const signOut = {
  method: 'DELETE',
  path: '/session',
  role: 'none',
  query: z.object({ everywhere: z.optional(z.enum(['true', 'false'])) }),
  request: z.strictObject({}),
} as const satisfies DashboardRoute;

export const requestPasswordReset = {
  method: 'POST',
  path: '/password-resets',
  role: 'none',
  request: z.strictObject({ email }),
} as const satisfies DashboardRoute;

export const resetPassword = {
  method: 'PUT',
  path: '/password-resets',
  role: 'none',
  request: z.strictObject({ email, code, new_password: password }),
} as const satisfies DashboardRoute;

export const changePassword = {
  method: 'PUT',
  path: '/me/password',
  role: 'viewer',
  request: z.strictObject({ password, new_password: password }),
} as const satisfies DashboardRoute;
