import { runUntilStopped } from '../kit/program.ts';
import { accountsOptions } from '../zoho-accounts/options.ts';
import { startCrmBSimulator } from './server.ts';

/** Runs the CRM and its accounts server. Environment: PORT, ACCOUNTS_PORT, CLOCK_FILE, VERBOSE, CLIENTS. */
const { ACCOUNTS_PORT } = process.env;
const { url, accountsUrl, stop } = await startCrmBSimulator({
  ...accountsOptions(process.env),
  ...(ACCOUNTS_PORT && { accountsPort: Number(ACCOUNTS_PORT) }),
});
runUntilStopped({ url, accountsUrl }, stop);
