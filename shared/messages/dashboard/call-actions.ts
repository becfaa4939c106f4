import * as z from 'zod/mini';
import { analysisResultSchema } from '../../domain/calls/analysis.ts';
import type { DashboardRoute } from './route.ts';

export const stopCall = {
  method: 'POST',
  path: '/calls/{id}/stop',
  role: 'member',
  /** `hanging_up`: the voice platform ends the call, and its report follows. */
  answer: z.object({ state: z.enum(['canceled', 'hanging_up']) }),
} as const satisfies DashboardRoute;

export const repeatAnalysis = {
  method: 'POST',
  path: '/calls/{id}/analysis',
  role: 'member',
  answer: z.object({ result: analysisResultSchema }),
} as const satisfies DashboardRoute;

export const resendCallback = {
  method: 'POST',
  path: '/calls/{id}/callbacks/{webhookId}',
  role: 'member',
  /** `under_way`: an attempt is already in progress, and no other is added. */
  answer: z.object({ state: z.enum(['queued', 'under_way']) }),
} as const satisfies DashboardRoute;
