import { setImmediate as turn } from 'node:timers/promises';
import type { Send } from './worlds/database.ts';

/**
 * Makes a database answer in waves: all pending requests at once, when no other request follows. Requests of one wave
 * were therefore concurrent.
 * @returns the operations of each wave, and the wrap for `aWorld`
 */
export function inWaves() {
  const waves: string[][] = [];
  let wave: string[] | undefined;
  let answer = Promise.resolve();
  const wrap =
    (send: Send): Send =>
    async (command: never) => {
      if (!wave) {
        wave = [];
        waves.push(wave);
        answer = turn().then(() => {
          wave?.sort();
          wave = undefined;
        });
      }
      wave.push((command as object).constructor.name.replace('Command', ''));
      await answer;
      return send(command);
    };
  return { waves, wrap };
}
