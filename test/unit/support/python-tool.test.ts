import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../../local/operator-error.ts';
import { skippedIn } from '../../runner/skipped.ts';
import { installTool } from '../../support/runner/python-tool.ts';

const packages = { name: 'fuzzer', requirements: 'test/fuzz/requirements.txt', folder: 'fuzz' };
const unreachable = async () => {
  throw new OperatorError('The fuzzer could not be downloaded.');
};
const sentence = 'The API is not fuzzed: The fuzzer could not be downloaded.';

describe('a test tool that cannot be downloaded', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'python-tool-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  /** Installs the tool twice, like two test files. */
  async function install(env: Record<string, string>, failing: () => Promise<string> = unreachable) {
    const printed: string[] = [];
    const means = { install: failing, env, print: (line: string) => void printed.push(line) };
    const once = () => installTool(packages, 'The API is not fuzzed', means);
    return { found: [await once(), await once()], printed };
  }

  it('is left out, and the summary of the run says so once', async () => {
    const file = join(folder, 'skipped');
    expect(skippedIn(file)).toEqual([]);
    expect(await install({ SKIPPED_FILE: file })).toEqual({ found: [undefined, undefined], printed: [] });
    expect(skippedIn(file)).toEqual([sentence]);
  });

  it('is left out, and standard error says so if there is no summary', async () => {
    expect(await install({})).toEqual({
      found: [undefined, undefined],
      printed: Array(2).fill(`skipped: ${sentence}`),
    });
  });

  it('fails the test in CI', async () => {
    const file = join(folder, 'skipped');
    await expect(install({ CI: 'true', SKIPPED_FILE: file })).rejects.toThrow(OperatorError);
    expect(skippedIn(file)).toEqual([]);
  });

  it('fails the test if the installation itself is wrong', async () => {
    const broken = () => Promise.reject(new TypeError('x'));
    await expect(install({}, broken)).rejects.toThrow(TypeError);
  });
});

it('an installed tool is used, even in CI', async () => {
  const install = async () => '/venv/bin/python';
  const found = await installTool(packages, 'The API is not fuzzed', { install, env: { CI: 'true' } });
  expect(found).toBe('/venv/bin/python');
});
