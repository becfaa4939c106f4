import { z } from 'zod';
import { startCrmBSimulator } from './server.ts';

const clientsSchema = z.array(
  z.object({
    id: z.string(),
    secret: z.string(),
    redirectUris: z.array(z.string()).optional(),
    dataCenters: z.array(z.string()).optional(),
  }),
);

/**
 * Runs the simulator until SIGTERM or SIGINT. Environment: PORT, ACCOUNTS_PORT, CLOCK_FILE, VERBOSE, and CLIENTS, a
 * JSON list of OAuth clients (`[{"id", "secret", "redirectUris"?, "dataCenters"?}]`).
 */
const { PORT, ACCOUNTS_PORT, CLOCK_FILE, CLIENTS, VERBOSE } = process.env;

const simulator = await startCrmBSimulator({
  ...(PORT && { port: Number(PORT) }),
  ...(ACCOUNTS_PORT && { accountsPort: Number(ACCOUNTS_PORT) }),
  ...(CLOCK_FILE && { clockFile: CLOCK_FILE }),
  ...(CLIENTS && { clients: clientsSchema.parse(JSON.parse(CLIENTS)) }),
  ...(VERBOSE && { log: (line: string) => console.error(line) }),
});
console.log(JSON.stringify({ url: simulator.url, accountsUrl: simulator.accountsUrl }));

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void simulator.stop().finally(() => process.exit(0)));
}
