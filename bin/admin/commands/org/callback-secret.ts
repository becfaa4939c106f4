import { HINT_CHARACTERS, newCallbackSecret } from '../../../../shared/domain/organizations/callback-secret.ts';
import { secondsAfter } from '../../../../shared/domain/time/instants.ts';
import type { Cloud } from '../../cloud/cloud.ts';
import { findOrg } from '../../cloud/records.ts';
import { Refusal } from '../../failures.ts';
import { type Answer, type OfOrg, optional, orgOption, verb } from '../../verb.ts';

const FORMER_SECRET_SECONDS = 24 * 60 * 60;

type Flags = OfOrg & { rotate?: boolean };

export const callbackSecretVerb = verb<Flags>({
  usage: 'callback-secret',
  summary: 'Shows the secret that signs the callbacks of an organization',
  options: [orgOption, optional('--rotate', 'replace the secret; the old one also signs for 24 hours')],
  act: (cloud, flags) => (flags.rotate ? rotate(cloud, flags) : show(cloud, flags)),
});

async function show(cloud: Cloud, { org: orgId }: OfOrg): Promise<Answer> {
  const [current] = (await findOrg(cloud, orgId)).callback_secrets;
  if (!current)
    throw new Refusal(
      'no_callback_secret',
      'The organization has no callback secret yet: create one with org callback-secret --rotate.',
    );
  const secret = await cloud.unseal(orgId, current.ciphertext);
  return { json: { secret }, people: `The callback secret of ${orgId}:\n\n  ${secret}` };
}

/** Replaces the secret. The old one also signs for a day, so that receivers have time to switch. */
async function rotate(cloud: Cloud, { org: orgId }: OfOrg): Promise<Answer> {
  const org = await findOrg(cloud, orgId);
  const [current, ...former] = org.callback_secrets;
  const now = cloud.now().toISOString();
  const until = secondsAfter(now, FORMER_SECRET_SECONDS);
  const secret = newCallbackSecret();
  const callback_secrets = [
    { ciphertext: await cloud.seal(orgId, secret), hint: secret.slice(-HINT_CHARACTERS) },
    ...(current ? [{ ...current, until }] : []),
    ...former.filter((one) => one.until !== undefined && one.until > now),
  ];
  if (!(await cloud.organizations.update(orgId, { callback_secrets }, [], org)))
    throw new Refusal(
      'changed_meanwhile',
      'Another operator is replacing the secret. Check with org callback-secret, then try again.',
    );
  return {
    json: { secret },
    people: `The new callback secret of ${orgId}; the old one also signs until ${until}:\n\n  ${secret}`,
  };
}
