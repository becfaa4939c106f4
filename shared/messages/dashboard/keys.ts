import * as z from 'zod/mini';
import { permissions } from '../../domain/organizations/permission.ts';
import { trimmedText } from '../../domain/text/trimmed-text.ts';
import { page } from './page.ts';
import type { DashboardRoute } from './route.ts';

/** An API key as the dashboard shows it: without its value. */
const key = z.object({
  key_id: z.string(),
  name: z.string(),
  permissions: z.array(z.string()),
  created_at: z.string(),
  /** Null for keys from before this was stored. */
  created_by: z.nullable(z.string()),
  /** When the key's last request was counted; null if it has sent none. */
  last_used_at: z.nullable(z.string()),
  revoked_at: z.nullable(z.string()),
});

export type KeyView = z.infer<typeof key>;

export const listKeys = {
  method: 'GET',
  path: '/api-keys',
  role: 'viewer',
  query: z.object(page),
  answer: z.object({ items: z.array(key), next: z.nullable(z.string()) }),
} as const satisfies DashboardRoute;

export const createKey = {
  method: 'POST',
  path: '/api-keys',
  role: 'admin',
  request: z.strictObject({
    name: trimmedText(100),
    /**
     * Random, new for each key: the key's value derives from it, so that a repeat returns the same key. The dashboard
     * always sends it.
     */
    seed: z.optional(
      z.string().check(z.regex(/^[A-Za-z0-9_-]{43,100}$/, 'Send 43 to 100 random letters, digits, _ and -.')),
    ),
    /** `calls:write` and `assistants:read` by default. */
    permissions: z.optional(z.array(z.enum(permissions)).check(z.minLength(1), z.maxLength(permissions.length))),
  }),
  /** The value is shown only now, and to a repeat of the request. */
  answer: z.object({ key, value: z.string() }),
} as const satisfies DashboardRoute;

export const revokeKey = {
  method: 'DELETE',
  path: '/api-keys/{id}',
  role: 'admin',
} as const satisfies DashboardRoute;
