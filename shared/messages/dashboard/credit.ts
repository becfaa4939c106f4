import * as z from 'zod/mini';
import { orNewer } from '../../domain/newer-values.ts';
import { namedKeySchema } from '../../domain/organizations/requester.ts';
import { instant, page } from './page.ts';
import type { DashboardRoute } from './route.ts';

/** An entry of the ledger as the dashboard shows it; amounts are in credits. */
export const creditEntry = z.object({
  entry: z.string(),
  at: z.string(),
  kind: orNewer(['top_up', 'hold', 'settlement', 'release']),
  /** The change of the balance. */
  amount: z.number(),
  /** The change of the held credit. */
  held: z.number(),
  call_id: z.nullable(z.string()),
  /** The API key that placed the call; null for other calls, and for older entries, which do not store it. */
  key: z.nullable(namedKeySchema),
  reason: z.nullable(z.string()),
});

const listedEntry = z.object({
  ...creditEntry.shape,
  /** `duration` is in seconds. Null for an entry without a call, and for a call that was removed. */
  call: z.nullable(z.object({ phone_number: z.string(), duration: z.nullable(z.number()) })),
});

export type ListedCreditEntry = z.infer<typeof listedEntry>;

export const listCreditEntries = {
  method: 'GET',
  path: '/credit-entries',
  role: 'viewer',
  query: z.object({ ...page, from: z.optional(instant), to: z.optional(instant) }),
  answer: z.object({ items: z.array(listedEntry), next: z.nullable(z.string()) }),
} as const satisfies DashboardRoute;
