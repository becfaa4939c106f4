/** Reads the settings that every simulator takes from the environment: PORT, CLOCK_FILE, VERBOSE. */
export const commonOptions = ({ PORT, CLOCK_FILE, VERBOSE }: NodeJS.ProcessEnv) => ({
  ...(PORT && { port: Number(PORT) }),
  ...(CLOCK_FILE && { clockFile: CLOCK_FILE }),
  ...(VERBOSE && { log: (line: string) => console.error(line) }),
});

/** Prints a simulator's addresses as JSON, and runs it until SIGTERM or SIGINT. */
export function runUntilStopped(addresses: Record<string, string>, stop: () => Promise<void>): void {
  console.log(JSON.stringify(addresses));
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void stop().finally(() => process.exit(0)));
}
