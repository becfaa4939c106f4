import { readFile } from 'node:fs/promises';

/** Returns the scheduling policy of a process, as Linux numbers it (sched(7)). */
export async function schedulingPolicyOf(pid: number): Promise<number> {
  // The fields after the name of the program, which may contain spaces.
  return Number((await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ')[38]);
}
