import { commonOptions, runUntilStopped } from '../kit/program.ts';
import { startVoiceSimulator } from './server.ts';

/** Runs the voice platform. Environment: PORT, STORAGE_PORT, CLOCK_FILE, API_KEY, VERBOSE. */
const { STORAGE_PORT, API_KEY } = process.env;
const { url, storageUrl, stop } = await startVoiceSimulator({
  ...commonOptions(process.env),
  ...(STORAGE_PORT && { storagePort: Number(STORAGE_PORT) }),
  ...(API_KEY && { apiKey: API_KEY }),
});
runUntilStopped({ url, storageUrl }, stop);
