import { runUntilStopped } from '../kit/program.ts';
import { accountsOptions } from './options.ts';
import { startAccountsServer } from './server.ts';

/** Runs the accounts server alone. Environment: PORT, CLOCK_FILE, VERBOSE, CLIENTS, API_URL (named in tokens). */
const { API_URL } = process.env;
const { url, stop } = await startAccountsServer({
  ...accountsOptions(process.env),
  ...(API_URL && { apiUrl: API_URL }),
});
runUntilStopped({ url }, stop);
