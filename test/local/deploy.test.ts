import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deploy, LOCAL_REGION } from '../../local/deploy.ts';

it('says that a deployment took too long, of which the log knows nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deploy-'));
  const client = {
    endpoint: 'http://127.0.0.1:9',
    region: LOCAL_REGION,
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  };
  await expect(deploy(client, folder, new AbortController().signal, {}, 1)).rejects.toThrow(
    'was ended after 1 s: is the machine busy?',
  );
  await rm(folder, { recursive: true });
});
