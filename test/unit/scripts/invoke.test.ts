import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { aFile } from '../../support/admin/offline-admin.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Runs `npm run invoke` with a file that describes the local cloud. */
function invokeWith(environmentFile: string) {
  const args = ['scripts/invoke.ts', 'dial-call', aFile('event.json', '{}')];
  const env = { ...process.env, CALLING_SERVICE_ENVIRONMENT: environmentFile };
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
  return { status, stderr };
}

describe('npm run invoke says in a sentence that', () => {
  it.each([
    ['the file of the local cloud is not JSON', '{'],
    ['the file of the local cloud lacks members', '{"region": "us-east-1"}'],
  ])('%s', (_, content) => {
    const file = aFile('broken.json', content);
    const stderr = `The file ${file} cannot be read: restart the local cloud with npm start.\n`;
    expect(invokeWith(file)).toEqual({ status: 2, stderr });
  });

  it('the file of the local cloud does not exist', () => {
    const stderr = 'The file /none.json does not exist: start the local cloud that writes it.\n';
    expect(invokeWith('/none.json')).toEqual({ status: 2, stderr });
  });
});
