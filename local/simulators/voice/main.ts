import { startVoiceSimulator } from './server.ts';

/** Runs the simulator until SIGTERM or SIGINT. Environment: PORT, STORAGE_PORT, CLOCK_FILE, API_KEY, VERBOSE. */
const { PORT, STORAGE_PORT, CLOCK_FILE, API_KEY, VERBOSE } = process.env;

const simulator = await startVoiceSimulator({
  ...(PORT && { port: Number(PORT) }),
  ...(STORAGE_PORT && { storagePort: Number(STORAGE_PORT) }),
  ...(CLOCK_FILE && { clockFile: CLOCK_FILE }),
  ...(API_KEY && { apiKey: API_KEY }),
  ...(VERBOSE && { log: (line: string) => console.error(line) }),
});
console.log(JSON.stringify({ url: simulator.url, storageUrl: simulator.storageUrl }));

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void simulator.stop().finally(() => process.exit(0)));
}
