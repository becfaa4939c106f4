import { readAuthorization } from '../../domain/organizations/api-key.ts';
import { judgeOrg } from '../../domain/organizations/rate-limit.ts';
import { keyRequest, type RequestAddresses } from '../../domain/organizations/requester.ts';
import type { RateLimitStore } from '../../stores/organizations/rate-limits.ts';
import { type Admission, type AdmitRequestDeps, admitRequest } from './steps/admit-request.ts';
import {
  type Appending,
  type AppendKnowledgeDeps,
  appendKnowledge,
  type ReadUpload,
} from './steps/append-knowledge.ts';
import { type CountOfOrgDeps, countOfOrg } from './steps/count-of-org.ts';

export type UploadKnowledgeDeps = AdmitRequestDeps &
  AppendKnowledgeDeps &
  CountOfOrgDeps & { rateLimits: Pick<RateLimitStore, 'countKnownOfOrg'> };

export type UploadingRequest = {
  authorization: string | undefined;
  from: RequestAddresses;
  assistantId: string;
  files: ReadUpload;
};

export type Uploading =
  | Exclude<Admission, { kind: 'admitted' }>
  | ({ rate: Extract<Admission, { kind: 'admitted' }>['rate'] } & Appending);

/**
 * Appends files to an assistant's knowledge base for a client with an API key. Counts the upload for the key and for
 * the organization in the round trip that reads both. Anyone can invent a key that names an organization, so the
 * organization's count includes only keys with an admitted upload in the same clock hour; a key's first upload is
 * counted while its body is parsed. @throws as appendKnowledge
 */
export async function uploadKnowledge(
  deps: UploadKnowledgeDeps,
  { authorization, from, assistantId, files }: UploadingRequest,
): Promise<Uploading> {
  const presented = readAuthorization(authorization);
  // A malformed key is refused without a read.
  const named = presented.kind === 'key' ? presented.key : undefined;
  const epochMs = deps.now().getTime();
  const [admission, assistant, ofOrg] = await Promise.all([
    admitRequest(deps, authorization, { costs: 'uploads' }),
    named && deps.assistants.get(assistantId),
    named && deps.rateLimits.countKnownOfOrg(named.orgId, 'uploads', epochMs, named.hash),
  ]);
  if (admission.kind !== 'admitted') return admission;
  const { org, key, rate } = admission;
  if (assistant?.org_id !== org.org_id) return { kind: 'assistant_not_found', rate };
  const known = ofOrg === undefined ? undefined : judgeOrg(ofOrg, 'uploads', epochMs);
  if (known?.allowed === false) return { kind: 'rate_limited', rate: known };
  const [first, parsed] = await Promise.all([known ?? countOfOrg(deps, org.org_id, 'uploads', named?.hash), files()]);
  if (!first.allowed) return { kind: 'rate_limited', rate: first };
  return {
    ...(await appendKnowledge(deps, assistant, { files: async () => parsed, by: keyRequest(key, from) })),
    rate,
  };
}
