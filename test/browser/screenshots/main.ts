import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import startStack from '../../support/stack/start-stack.ts';
import stopStack from '../../support/stack/stop-stack.ts';
import { chromiumPath } from '../support/chromium.ts';

/**
 * `npm run screenshots`: shows every page at three widths, in both themes and in each of its states, as pictures in a
 * folder with an index page. It starts a local cloud, or uses the one whose environment file
 * CALLING_SERVICE_ENVIRONMENT names. Arguments are beginnings of paths: `npm run screenshots -- /calls /leads`.
 */
const folder = fileURLToPath(new URL('../../../dist/screenshots/', import.meta.url));

if (!existsSync(chromiumPath)) {
  console.error(`There is no Chromium at ${chromiumPath}: install Debian's package, or set CHROMIUM to another path.`);
  process.exit(1);
}
const wanted = process.argv.slice(2);
if (wanted.length === 0) rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
await startStack();
try {
  // Imported late, because the modules that prepare data read the environment file.
  const { takePictures } = await import('./pictures.ts');
  console.log(`${await takePictures(folder, wanted)} pictures: ${folder}index.html`);
} finally {
  await stopStack();
}
