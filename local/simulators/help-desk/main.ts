import { startHelpDeskSimulator } from './server.ts';

/**
 * Runs the simulator until SIGTERM or SIGINT. Environment: CRM_B_URL, the address of the CRM-B simulator whose accounts
 * server issues the tokens (required), PORT, CLOCK_FILE, VERBOSE.
 */
const { PORT, CLOCK_FILE, CRM_B_URL, VERBOSE } = process.env;

if (!CRM_B_URL) throw new Error('CRM_B_URL is missing: the address of the CRM-B simulator, which issues the tokens.');

const simulator = await startHelpDeskSimulator({
  grants: CRM_B_URL,
  ...(PORT && { port: Number(PORT) }),
  ...(CLOCK_FILE && { clockFile: CLOCK_FILE }),
  ...(VERBOSE && { log: (line: string) => console.error(line) }),
});
console.log(JSON.stringify({ url: simulator.url }));

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void simulator.stop().finally(() => process.exit(0)));
}
