import { pdf, shows } from '../documents/pdf.ts';
import { anOrg } from '../organizations/orgs.ts';
import { upload } from '../rest/uploads.ts';
import type { Scene } from './logged-scene.ts';

/** Uploads knowledge files, some of which are refused, with a canary in names and texts. */
export async function loggedKnowledge(): Promise<Scene> {
  const org = await anOrg();
  const file = { filename: 'canary-name.pdf', bytes: pdf({ pages: [shows('canary in the text')] }) };
  const again = async () => {
    await upload(org, [file]);
    await upload(org, [{ filename: 'canary.exe', bytes: 'canary in a program' }]);
    await upload(org, [{ ...file, bytes: '%PDF-canary' }]);
  };
  await again();
  return {
    secrets: [org.apiKey, 'canary'],
    expected: [['upload-knowledge', 'documents were read', '"documents":1', '"peakBytes":']],
    again,
  };
}
