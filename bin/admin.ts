import { runAdmin } from './admin/run.ts';

/**
 * The operators' CLI: `npm run --silent admin -- NOUN VERB [FLAGS] [--json]`. It works on the running local cloud, or
 * on the stage that `--stage` names.
 */
const { argv, stdin, stdout, stderr, env: environment } = process;

// No process.exit(): it could cut off output that a pipe has not read yet.
process.exitCode = await runAdmin(argv.slice(2), { stdin, stdout, stderr, environment });
