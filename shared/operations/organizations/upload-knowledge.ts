import { readAuthorization } from '../../domain/organizations/api-key.ts';
import { keyRequest } from '../../domain/organizations/requester.ts';
import { type Admission, type AdmitRequestDeps, admitRequest } from './steps/admit-request.ts';
import {
  type Appending,
  type AppendKnowledgeDeps,
  appendKnowledge,
  type ReadUpload,
} from './steps/append-knowledge.ts';
import { countOfOrg } from './steps/count-of-org.ts';

export type UploadKnowledgeDeps = AdmitRequestDeps & AppendKnowledgeDeps;

export type UploadingRequest = {
  authorization: string | undefined;
  /** IP address of the client. */
  address?: string | undefined;
  assistantId: string;
  files: ReadUpload;
};

export type Uploading =
  | Exclude<Admission, { kind: 'admitted' }>
  | ({ rate: Extract<Admission, { kind: 'admitted' }>['rate'] } & Appending);

/** Appends files to an assistant's knowledge base for a client with an API key. @throws as appendKnowledge */
export async function uploadKnowledge(
  deps: UploadKnowledgeDeps,
  { authorization, address, assistantId, files }: UploadingRequest,
): Promise<Uploading> {
  const [admission, assistant] = await Promise.all([
    admitRequest(deps, authorization, { costs: 'uploads' }),
    // A malformed key is refused without a read.
    readAuthorization(authorization).kind === 'key' ? deps.assistants.get(assistantId) : undefined,
  ]);
  if (admission.kind !== 'admitted') return admission;
  const { org, key, rate } = admission;
  if (assistant?.org_id !== org.org_id) return { kind: 'assistant_not_found', rate };
  // Counted once the key is known: others must not use up an organization's limit. Parsing hides the round trip.
  const [ofOrg, parsed] = await Promise.all([countOfOrg(deps, org.org_id, 'uploads'), files()]);
  if (!ofOrg.allowed) return { kind: 'rate_limited', rate: ofOrg };
  return {
    ...(await appendKnowledge(deps, assistant, { files: async () => parsed, by: keyRequest(key, address) })),
    rate,
  };
}
