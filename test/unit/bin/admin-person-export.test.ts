import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { aFile } from '../../support/admin/offline-admin.ts';
import { aCall } from '../support/call.ts';
import { adminWorld } from '../support/worlds/admin-world.ts';
import { anOrg, ORG } from '../support/worlds/items.ts';

const failure = (name: string) => Object.assign(new Error('-'), { name });

describe('person export', () => {
  it('names the files that the bucket does not have, and writes the rest', async () => {
    const world = adminWorld(
      { organizations: [anOrg()] },
      { GetSecretValue: { SecretString: 'key' }, GetObject: failure('NoSuchKey'), HeadObject: failure('NotFound') },
    );
    const [transcript_key, key] = [`transcripts/${ORG}/one.txt`, `recordings/${ORG}/one.wav`];
    const call = aCall({ status: 'completed', transcript_key, recording: { state: 'stored', key } });
    world.putCall(call);
    const folder = join(dirname(aFile('export', '')), 'missing');
    const command = `person export --org ${ORG} --phone ${call.phone_number} --folder ${folder}`;
    const { code, stdout } = await world.admin(command);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { calls: 1, recordings: 0, missing: [transcript_key, key] }]);
    expect(JSON.parse(readFileSync(join(folder, 'person.json'), 'utf8'))).toMatchObject({
      calls: [{ call_id: call.call_id, transcript: null }],
      missing: [transcript_key, key],
    });
  });
});
