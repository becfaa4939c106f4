import startStack from '../support/stack/start-stack.ts';
import stopStack from '../support/stack/stop-stack.ts';

/**
 * `npm run bench:dashboard`: measures the dashboard with 10,000 calls, 10,000 lead events and 5,000 do-not-call numbers
 * in one organization: the first page of every list, a search by phone, a filter that matches nothing, every page in
 * Chromium, and the CSV file of all calls. The floor is a route that needs no read, requested in turns with the others:
 * the machine's speed drifts. It exits with an error if a figure exceeds its limit (docs/dashboard.md, "Speed").
 */
await startStack();
try {
  const { measureDashboard } = await import('./support/dashboard-load.ts');
  if (!(await measureDashboard())) process.exitCode = 1;
} finally {
  await stopStack();
}
