/** Reports the steps of a start with their durations. @param write prints one line. */
export function progress(steps: number, write: (line: string) => void) {
  let done = 0;
  return async <T>(name: string, step: () => Promise<T>): Promise<T> => {
    done += 1;
    const started = performance.now();
    const result = await step();
    write(`[${done}/${steps}] ${name.padEnd(44)} ${((performance.now() - started) / 1000).toFixed(1)} s`);
    return result;
  };
}
