import { MAX_NUMBERS } from '../../../shared/messages/dashboard/do-not-call.ts';
import type { Line } from '../../app/files/numbers-file.ts';

const MAX_NUMBER_CHARACTERS = 40;

/**
 * Sends numbers in requests of a thousand.
 * @param signal ends the sending before its next request
 * @param send gets the number of lines that were sent before
 * @returns whether all requests were sent
 */
export async function sendInBatches(
  lines: readonly Line[],
  signal: AbortSignal,
  send: (phones: string[], done: number) => Promise<void>,
): Promise<boolean> {
  let done = 0;
  for (; done < lines.length && !signal.aborted; done += MAX_NUMBERS) {
    const part = lines.slice(done, done + MAX_NUMBERS);
    // A text that is too long for a number is sent as '': the API would otherwise refuse the whole request.
    const phones = part.map(({ text }) => (text.length > MAX_NUMBER_CHARACTERS ? '' : text));
    await send(phones, done);
  }
  return done >= lines.length;
}
