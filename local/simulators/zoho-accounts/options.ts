import { z } from 'zod';
import { commonOptions } from '../kit/program.ts';

const clientsSchema = z.array(
  z.object({
    id: z.string(),
    secret: z.string(),
    redirectUris: z.array(z.string()).exactOptional(),
    dataCenters: z.array(z.string()).exactOptional(),
  }),
);

/**
 * Reads the settings from the environment: the common ones and CLIENTS, a JSON list of OAuth clients
 * (`[{"id", "secret", "redirectUris"?, "dataCenters"?}]`).
 */
export const accountsOptions = ({ CLIENTS, ...environment }: NodeJS.ProcessEnv) => ({
  ...commonOptions(environment),
  ...(CLIENTS && { clients: clientsSchema.parse(JSON.parse(CLIENTS)) }),
});
