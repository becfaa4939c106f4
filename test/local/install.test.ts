import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from './support/eventually.ts';

const install = fileURLToPath(new URL('../../local/install.mjs', import.meta.url));
const SECONDS = 30;
const PROGRAM = `
process.on('SIGTERM', () => { console.log('ended'); process.exit(); });
setTimeout(process.exit, ${SECONDS * 1000});
console.log('started');
`;

const folder = mkdtempSync(join(tmpdir(), 'install-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a program of an npm script', () => {
  it('ends if only npm gets the signal, whose shell does not forward it', async () => {
    writeFileSync(join(folder, 'program.mjs'), PROGRAM);
    // Two commands, because some shells replace themselves by a single one, which then gets the signal.
    const start = `node "${install}" "${join(folder, 'program.mjs')}"; exit 1`;
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start } }));
    const npm = spawn('npm', ['start'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    npm.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await eventually(() => expect(printed).toContain('started'), SECONDS);
    npm.kill('SIGTERM');
    // The program has the same output, which therefore closes when both have ended.
    await once(npm.stdout, 'close');
    expect(printed).toContain('ended');
  });
});
