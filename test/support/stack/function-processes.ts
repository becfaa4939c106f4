import { readdir, readFile } from 'node:fs/promises';

/** The function of each process, for each emulator. It does not change during the life of a process. */
const functionsOf = new Map<number, Map<string, string | undefined>>();

/** Lists the processes that run a function: children of the emulator (local/cloud.ts). Linux only. */
export async function processesOf(functionName: string, emulatorPid: number): Promise<number[]> {
  const functionOf = functionsOf.get(emulatorPid) ?? new Map<string, string | undefined>();
  functionsOf.set(emulatorPid, functionOf);
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  for (const known of functionOf.keys()) if (!pids.includes(known)) functionOf.delete(known);
  const readFunctionOf = async (pid: string): Promise<void> => {
    const [[, parent], environ] = await Promise.all([
      statOf(pid),
      readFile(`/proc/${pid}/environ`, 'utf8').catch(() => ''),
    ]);
    const isChild = Number(parent) === emulatorPid;
    const variable = 'AWS_LAMBDA_FUNCTION_NAME=';
    const entry = environ.split('\0').find((text) => text.startsWith(variable));
    // Between fork and exec, a worker still shows the emulator's environment, so it is read again later.
    if (isChild && !entry) return;
    functionOf.set(pid, isChild ? entry?.slice(variable.length) : undefined);
  };
  await Promise.all(pids.filter((pid) => !functionOf.has(pid)).map(readFunctionOf));
  const own = pids.filter((pid) => functionOf.get(pid) === functionName);
  const states = await Promise.all(own.map(async (pid) => (await statOf(pid))[0]));
  // Leaves out zombies: killed, but not yet reaped by the emulator.
  return own.filter((_pid, index) => states[index] !== undefined && states[index] !== 'Z').map(Number);
}

/** Returns the fields of /proc/PID/stat after the name (state, parent, …); empty once the process is gone. */
export async function statOf(pid: string): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}
