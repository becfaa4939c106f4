import { mkdir, writeFile } from 'node:fs/promises';
import { exportPerson } from '../../../../shared/operations/after-call/erasure/export-person.ts';
import { type CallFiles, callFiles, isMissingFile } from '../../../../shared/stores/calls/files/call-files.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { paragraphs } from '../../output.ts';
import { personKey } from '../../person-key.ts';
import { invalid } from '../../values.ts';
import type { Answer } from '../../verb.ts';

/** Only the operator may read the files. */
const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/** Writes JSON, with a call's sets as arrays. */
const asJson = (value: unknown): string =>
  JSON.stringify(value, (_, member) => (member instanceof Set ? [...member] : member), 2);

/** Writes a person's data into a new folder: `person.json`, and the recordings beside it. */
export async function exportTo(cloud: Cloud, folder: string, of: { org_id: string; phone: string }): Promise<Answer> {
  const key = await personKey(cloud);
  await mkdir(folder, { mode: PRIVATE_FOLDER }).catch((error: NodeJS.ErrnoException) => {
    throw invalid(`--folder ${folder} cannot be created (${error.code}): name a folder that does not exist.`);
  });
  const files = callFiles(cloud.s3(), await cloud.filesBucket());
  const deps = { ...cloud, files, personKey: key };
  const person = await exportPerson(deps, await cloud.operator(), of);
  const recordings: string[] = [];
  const missing = [...person.missing];
  for (const { recording } of person.calls) {
    if (!recording?.key) continue;
    const audio = await openIfStored(files, recording.key);
    if (!audio) {
      missing.push(recording.key);
      continue;
    }
    const name = recording.key.slice(recording.key.lastIndexOf('/') + 1);
    await writeFile(`${folder}/${name}`, audio, { mode: PRIVATE_FILE, flag: 'wx' });
    recordings.push(name);
  }
  const content = asJson({ ...person, recordings, missing });
  await writeFile(`${folder}/person.json`, content, { mode: PRIVATE_FILE, flag: 'wx' });
  const json = {
    folder,
    calls: person.calls.length,
    activity: person.activity.length,
    recordings: recordings.length,
    missing,
    is_on_do_not_call_list: person.do_not_call !== null,
  };
  const people = paragraphs(
    `${json.calls} calls with ${json.recordings} recordings were written into ${folder}.`,
    missing.length > 0 ? `The bucket does not have these files of the calls: ${missing.join(', ')}.` : undefined,
  );
  return { json, people };
}

/** @returns undefined if the bucket does not have the recording */
async function openIfStored(files: CallFiles, key: string) {
  try {
    const { open } = await files.recording(key);
    return await open();
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}
