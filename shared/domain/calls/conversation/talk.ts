import * as z from 'zod/mini';
import { parseJson } from '../../json.ts';

/** A line of a conversation, with its times in seconds since the call was answered. */
export const talkLineSchema = z.object({
  who: z.enum(['assistant', 'person']),
  text: z.string(),
  from: z.number(),
  to: z.number(),
});

export type TalkLine = z.infer<typeof talkLineSchema>;

/** The file of a conversation's lines, in the order of their times. */
const talkSchema = z.object({ lines: z.array(talkLineSchema) });

export const writeTalk = (lines: readonly TalkLine[]): string => JSON.stringify({ lines });

/** Reads the lines of a conversation. @returns undefined if the file is truncated or has another format. */
export const readTalk = (text: string): TalkLine[] | undefined => talkSchema.safeParse(parseJson(text)).data?.lines;
