import * as z from 'zod/mini';
import type { Shown } from '../../newer-values.ts';
import { analysisSchema } from '../analysis.ts';
import { callStatuses } from '../call-status.ts';
import { keptAttributes } from './kept-call.ts';

export const callbackStatuses = ['pending', 'delivered', 'failed'] as const;
export type CallbackStatus = (typeof callbackStatuses)[number];

const text = z.string();
const ifKnown = z.optional(text);
const number = z.optional(z.number());

/** The attributes of a call that decide who may see it, and what the REST API shows of it. */
export const viewedAttributes = {
  call_id: text,
  org_id: text,
  status: z.enum(callStatuses),
  phone_number: text,
  assistant_id: text,
  assistant_name: text,
  idempotency_key: ifKnown,
  callback_url: ifKnown,
  callback_status: z.optional(z.enum(callbackStatuses)),
  request_metadata: z.record(text, z.unknown()),
  /** When the platform reported the answer. `started_at` is authoritative. */
  answered_at: ifKnown,
  ended_reason: ifKnown,
  started_at: ifKnown,
  /** In seconds. */
  duration: number,
  /** In units (1/1000 credit). */
  cost: number,
  analysis: z.optional(analysisSchema),
  ...keptAttributes,
};

/** The part of a call that the REST API shows. */
export const viewedCallSchema = z.object(viewedAttributes);
export type ViewedCall = Shown<z.infer<typeof viewedCallSchema>>;
