import * as z from 'zod/mini';
import { platformMessageSchema } from '../domain/calls/platform-message.ts';

/** On the voice-events queue: what a voice platform said of one of our calls. */
export const voiceEvent = z.object({ call_id: z.string(), message: platformMessageSchema });

export type VoiceEvent = z.infer<typeof voiceEvent>;
