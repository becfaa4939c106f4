import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { E164 } from '../shared/domain/text/phone-number.ts';
import { SmokeError, smokeCall } from './smoke/smoke-call.ts';

/**
 * `npm run smoke`: verifies a deployment with one real call to a number that always answers (docs/deploy.md, "Deploy
 * from GitHub"). Exits with 0 after an answered, charged call, with 1 and a sentence after a failure, and with 2 if a
 * setting is missing.
 */
const settings = z.object({
  SMOKE_URL: z.url(),
  SMOKE_API_KEY: z.string().min(1),
  SMOKE_ASSISTANT_ID: z.string().min(1),
  SMOKE_NUMBER: z.string().regex(E164),
  /** Constant for all tries of one deployment, so that a repeated job places no second call. */
  SMOKE_ID: z.string().max(200).default(randomUUID),
  SMOKE_SECONDS: z.coerce.number().int().min(1).max(1_800).default(600),
});

const read = settings.safeParse(process.env);
if (!read.success) {
  console.error(`npm run smoke needs these settings:\n${z.prettifyError(read.error)}`);
  process.exit(2);
}
const given = read.data;
try {
  const { callId, seconds, cost } = await smokeCall({
    url: given.SMOKE_URL.replace(/\/$/, ''),
    apiKey: given.SMOKE_API_KEY,
    assistantId: given.SMOKE_ASSISTANT_ID,
    phoneNumber: given.SMOKE_NUMBER,
    idempotencyKey: `smoke-${given.SMOKE_ID}`,
    timeLimitMs: given.SMOKE_SECONDS * 1000,
  });
  console.log(`${callId} was answered: ${seconds} s, charged ${cost}.`);
} catch (error) {
  if (!(error instanceof SmokeError)) throw error;
  console.error(`The deployment does not work: ${error.message}`);
  process.exit(1);
}
