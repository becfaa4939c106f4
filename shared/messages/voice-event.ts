import * as z from 'zod/mini';
import { platformMessageSchema } from '../domain/calls/platform/platform-message.ts';

/** A message on the voice-events queue: the voice platform's report on one of our calls. */
export const voiceEvent = z.object({ call_id: z.string(), message: platformMessageSchema });

export type VoiceEvent = z.infer<typeof voiceEvent>;
