import { fileURLToPath } from 'node:url';

/** The built pages of the dashboard. */
export const siteFolder = fileURLToPath(new URL('../dist/dashboard', import.meta.url));
