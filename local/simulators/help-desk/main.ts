import { commonOptions, runUntilStopped } from '../kit/program.ts';
import { startHelpDeskSimulator } from './server.ts';

/** Runs the help desk. Environment: ACCOUNTS_URL (of the accounts server, required), PORT, CLOCK_FILE, VERBOSE. */
const { ACCOUNTS_URL } = process.env;
if (!ACCOUNTS_URL) throw new Error('ACCOUNTS_URL is missing: the address of the accounts server, which issues tokens.');

const { url, stop } = await startHelpDeskSimulator({ grants: ACCOUNTS_URL, ...commonOptions(process.env) });
runUntilStopped({ url }, stop);
