import {
  revealCallbackSecret,
  rotateCallbackSecret,
} from '../../../../shared/operations/organizations/callback-secret.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { orgNotFound } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { type Answer, type OfOrg, optional, orgOption, verb } from '../../verb.ts';

type Flags = OfOrg & { rotate?: boolean };

export const callbackSecretVerb = verb<Flags>({
  usage: 'callback-secret',
  summary: 'Shows the secret that signs the callbacks of an organization',
  options: [orgOption, optional('--rotate', 'replace the secret; the old one also signs for 24 hours')],
  act: (cloud, flags) => (flags.rotate ? rotate(cloud, flags) : show(cloud, flags)),
});

async function show(cloud: Cloud, { org: orgId }: OfOrg): Promise<Answer> {
  const result = await revealCallbackSecret(cloud, await cloud.operator(), orgId);
  switch (result.kind) {
    case 'org_not_found':
      throw orgNotFound(orgId);
    case 'no_callback_secret':
      throw new Refusal(
        result.kind,
        'The organization has no callback secret yet: create one with org callback-secret --rotate.',
      );
    case 'revealed': {
      const { secret } = result;
      return { json: { secret }, people: `The callback secret of ${orgId}:\n\n  ${secret}` };
    }
  }
}

async function rotate(cloud: Cloud, { org: orgId }: OfOrg): Promise<Answer> {
  const result = await rotateCallbackSecret(cloud, await cloud.operator(), orgId);
  switch (result.kind) {
    case 'org_not_found':
      throw orgNotFound(orgId);
    case 'changed_meanwhile':
      throw new Refusal(
        result.kind,
        'Another operator is replacing the secret. Check with org callback-secret, then try again.',
      );
    case 'rotated': {
      const { secret, former_until: until } = result;
      const old = until ? `; the old one also signs until ${until}` : '';
      return { json: { secret }, people: `The new callback secret of ${orgId}${old}:\n\n  ${secret}` };
    }
  }
}
