import * as z from 'zod/mini';
import type { TalkLine } from '../../../domain/calls/conversation/talk.ts';

const maybe = z.catch(z.optional(z.number()), undefined);

/** The members of Vapi's BotMessage and UserMessage (OpenAPI) that the service uses. */
const messageSchema = z.object({
  role: z.enum(['bot', 'assistant', 'user']),
  message: z.string(),
  secondsFromStart: z.number(),
  time: maybe,
  endTime: maybe,
  duration: maybe,
});

type Message = z.infer<typeof messageSchema>;

/** No line is this long: it would be a monologue of five minutes. */
const LONGEST_SECONDS = 300;

/**
 * Reads the lines with their speakers and times from the messages of a call. Omits other messages, such as the system
 * prompt and tool calls, and lines without times.
 */
export function talkOf(messages: readonly unknown[]): TalkLine[] {
  const spoken = messages.flatMap((message) => {
    const read = messageSchema.safeParse(message);
    return read.success && read.data.message.trim() !== '' ? [read.data] : [];
  });
  return spoken
    .toSorted((one, other) => one.secondsFromStart - other.secondsFromStart)
    .map((line, index, all) => {
      const from = Math.max(0, line.secondsFromStart);
      const seconds = spokenSeconds(line, all[index + 1]);
      return {
        who: line.role === 'user' ? ('person' as const) : ('assistant' as const),
        text: line.message.trim(),
        from: rounded(from),
        to: rounded(from + seconds),
      };
    });
}

/**
 * Returns how long a line is spoken: by its instants; else by `duration`, which is in seconds in the reference and in
 * milliseconds in observed messages; else until the next line.
 */
function spokenSeconds({ time, endTime, duration = 0, secondsFromStart }: Message, next: Message | undefined): number {
  const byInstants = time !== undefined && endTime !== undefined ? (endTime - time) / 1000 : 0;
  if (byInstants > 0 && byInstants <= LONGEST_SECONDS) return byInstants;
  const byDuration = duration > LONGEST_SECONDS ? duration / 1000 : duration;
  if (byDuration > 0 && byDuration <= LONGEST_SECONDS) return byDuration;
  return next ? Math.min(next.secondsFromStart - secondsFromStart, LONGEST_SECONDS) : 1;
}

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;
