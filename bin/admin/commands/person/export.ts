import { mkdir, writeFile } from 'node:fs/promises';
import { newToken } from '../../../../shared/domain/ids.ts';
import { exportPerson } from '../../../../shared/operations/after-call/erasure/export-person.ts';
import { callFiles } from '../../../../shared/stores/calls/files/call-files.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { personKey } from '../../person-key.ts';
import { invalid } from '../../values.ts';
import type { Answer } from '../../verb.ts';

/** Only the operator may read the files. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/** Sets in calls become lists. */
const asJson = (value: unknown): string =>
  JSON.stringify(value, (_, member) => (member instanceof Set ? [...member] : member), 2);

/** Writes a person's data into a new folder: `person.json`, and the recordings beside it. */
export async function exportTo(cloud: Cloud, folder: string, of: { org_id: string; phone: string }): Promise<Answer> {
  const key = await personKey(cloud);
  await mkdir(folder, { mode: PRIVATE_FOLDER }).catch((error: NodeJS.ErrnoException) => {
    throw invalid(`--folder ${folder} cannot be created (${error.code}): name a folder that does not exist.`);
  });
  const files = callFiles(cloud.s3(), await cloud.filesBucket());
  const deps = { ...cloud, files, newToken, personKey: key };
  const person = await exportPerson(deps, await cloud.operator(), of);
  const recordings: string[] = [];
  for (const { recording } of person.calls) {
    if (!recording?.key) continue;
    const name = recording.key.slice(recording.key.lastIndexOf('/') + 1);
    const { open } = await files.recording(recording.key);
    await writeFile(`${folder}/${name}`, await open(), { mode: PRIVATE_FILE, flag: 'wx' });
    recordings.push(name);
  }
  await writeFile(`${folder}/person.json`, asJson({ ...person, recordings }), { mode: PRIVATE_FILE, flag: 'wx' });
  const json = {
    folder,
    calls: person.calls.length,
    activity: person.activity.length,
    recordings: recordings.length,
    is_on_do_not_call_list: person.do_not_call !== null,
  };
  return { json, people: `${json.calls} calls with ${json.recordings} recordings were written into ${folder}.` };
}
