import { startModelSimulator } from './server.ts';

/** Runs the simulator until SIGTERM or SIGINT. Environment: PORT, CONTROL_PORT, VERBOSE. */
const { PORT, CONTROL_PORT, VERBOSE } = process.env;

const simulator = await startModelSimulator({
  ...(PORT && { port: Number(PORT) }),
  ...(CONTROL_PORT && { controlPort: Number(CONTROL_PORT) }),
  ...(VERBOSE && { log: (line: string) => console.error(line) }),
});
console.log(JSON.stringify({ url: simulator.url, controlUrl: simulator.controlUrl }));

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void simulator.stop().finally(() => process.exit(0)));
}
