import {
  GetAccountCommand,
  type GetAccountCommandOutput,
  GetEmailIdentityCommand,
  NotFoundException,
  SESv2Client,
} from '@aws-sdk/client-sesv2';
import { type Check, type Finding, failed, findingsOr, ok } from './check.ts';
import type { CheckContext } from './check-context.ts';

/** Judges whether the account may send e-mails by Amazon SES, to all addresses. @param website of the sender */
function assessAccount(
  account: Partial<GetAccountCommandOutput>,
  website: string,
  aws: CheckContext['aws'],
): Finding[] {
  if (!account.ProductionAccessEnabled)
    return [
      failed(
        'Amazon SES is in its sandbox: it sends to verified addresses only. AWS takes a day to grant the request.',
        aws(`sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL --website-url ${website}`),
      ),
    ];
  if (!account.SendingEnabled)
    return [
      failed(
        `Amazon SES does not send e-mails for the account (${account.EnforcementStatus ?? 'sending is off'}).`,
        aws('sesv2 put-account-sending-attributes --sending-enabled'),
      ),
    ];
  return [];
}

/** Checks the sender of e-mails: the Amazon SES account, and the address or its domain. */
export const mail: Check = {
  name: 'mail',
  rights: 'ses:GetAccount and ses:GetEmailIdentity',
  async examine({ cloud, settings, aws }) {
    const { mailFrom, mailIdentity, publicUrl } = await settings();
    if (mailFrom === undefined) return [ok('The stage has no mailFrom: notices appear only in the app.')];
    const client = cloud.readOnlyClient(SESv2Client);
    const domain = mailFrom.slice(mailFrom.indexOf('@') + 1);
    const [account, ...identities] = await Promise.all([
      client.send(new GetAccountCommand()),
      // The user pool cannot be deployed without its own identity, even if send-notices may send with the other one.
      ...(mailIdentity ? [mailIdentity] : [mailFrom, domain]).map((identity) => isVerified(client, identity)),
    ]);
    const findings = assessAccount(account, publicUrl ?? `https://${domain}`, aws);
    if (!identities.some((verified) => verified))
      findings.push(
        identities.every((verified) => verified === undefined)
          ? failed(
              `Amazon SES does not know the sender ${mailFrom}.`,
              aws(`sesv2 create-email-identity --email-identity ${mailIdentity ?? domain}`),
            )
          : failed(
              `Amazon SES has not verified the sender ${mailFrom} yet: add the records of its domain to your DNS.`,
              aws(`sesv2 get-email-identity --email-identity ${mailIdentity ?? domain} --query DkimAttributes`),
            ),
      );
    return findingsOr(findings, `Amazon SES sends as ${mailFrom}.`);
  },
};

/** @returns undefined if Amazon SES does not know the identity. */
async function isVerified(client: SESv2Client, EmailIdentity: string): Promise<boolean | undefined> {
  try {
    return (await client.send(new GetEmailIdentityCommand({ EmailIdentity }))).VerifiedForSendingStatus ?? false;
  } catch (error) {
    if (error instanceof NotFoundException) return undefined;
    throw error;
  }
}
