import { commonOptions, runUntilStopped } from '../kit/program.ts';
import { startModelSimulator } from './server.ts';

/** Runs the model. Environment: PORT, CONTROL_PORT, VERBOSE. */
const { CONTROL_PORT } = process.env;
const { url, controlUrl, stop } = await startModelSimulator({
  ...commonOptions(process.env),
  ...(CONTROL_PORT && { controlPort: Number(CONTROL_PORT) }),
});
runUntilStopped({ url, controlUrl }, stop);
