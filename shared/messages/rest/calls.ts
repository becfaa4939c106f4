import * as z from 'zod/mini';
import { sentiments, successEvals } from '../../domain/calls/analysis.ts';
import { callStatuses } from '../../domain/calls/call-status.ts';
import type { AnalysisView, CallView, QueuedCallView } from '../../domain/calls/call-view.ts';
import { callbackStatuses } from '../../domain/calls/parts/viewed-call.ts';
import { KEY_CHARACTERS } from '../../domain/calls/placing/outbound-request.ts';
import { orNewer } from '../../domain/newer-values.ts';
import { E164 } from '../../domain/text/phone-number.ts';

const phoneNumber = z.string().check(z.regex(E164), z.describe('E.164'));
const object = z.record(z.string(), z.unknown());

/**
 * The body of POST /v1/calls/outbound, for documents and tests. `readOutboundRequest` decides, because the order of its
 * checks determines the error code.
 */
export const outboundBody = z.object({
  phone_number: phoneNumber,
  assistant_id: z.string().check(z.minLength(1), z.describe('An assistant of the same organization.')),
  metadata: z.nullish(
    object.check(
      z.describe('Up to 16 KB and 64 levels; stored on the call. Its members fill {{name}} in the assistant’s texts.'),
    ),
  ),
  idempotency_key: z.nullish(
    z
      .string()
      .check(
        z.minLength(1),
        z.maxLength(KEY_CHARACTERS),
        z.describe(
          'Scoped to the organization. A repeat places no second call. It must not be a phone number, because the call’s id is a hash of it.',
        ),
      ),
  ),
  callback_url: z.nullish(
    z.string().check(z.describe('An https address on the public internet that is notified of each status.')),
  ),
});

export const queuedCall: z.ZodMiniType<QueuedCallView> = z.object({
  request_id: z.string(),
  call_id: z.string(),
  status: z.literal('queued'),
  phone_number: phoneNumber,
  assistant_id: z.string(),
  callback_url: z.nullable(z.string()),
  message: z.string(),
  idempotent_replay: z.optional(z.literal(true).check(z.describe('Present if the idempotency key was used before.'))),
});

const analysis: z.ZodMiniType<AnalysisView> = z.object({
  summary: z.string(),
  success_eval: orNewer(successEvals),
  structured_data: object.check(z.describe('The fields of the assistant’s analysis schema.')),
});

export const analyzedCall = z.object({ call_id: z.string(), analysis });

const instant = z.nullable(z.iso.datetime());

export const call: z.ZodMiniType<CallView> = z.object({
  id: z.string(),
  status: orNewer(callStatuses),
  duration: z.nullable(z.int().check(z.describe('Connected seconds, rounded up; null until the end.'))),
  cost: z.nullable(z.number().check(z.describe('Credits; null until the end.'))),
  sentiment: z.nullable(orNewer(sentiments)),
  summary: z.nullable(z.string()),
  started_at: instant,
  ended_at: instant,
  phone_number: z.string(),
  assistant_id: z.string(),
  assistant_name: z.string(),
  idempotency_key: z.nullable(z.string()),
  callback_url: z.nullable(z.string()),
  callback_status: z.nullable(orNewer(callbackStatuses)),
  request_metadata: object,
  ended_reason: z.nullable(z.string()),
  analysis: z.nullable(analysis),
});
