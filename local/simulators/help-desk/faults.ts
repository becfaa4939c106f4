import type * as z from 'zod';
import type { commonFaultSchema } from '../kit/faults.ts';

export type Fault = z.infer<typeof commonFaultSchema>;
