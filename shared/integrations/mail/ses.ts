import { BadRequestException, MessageRejected, type SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { Mail } from '../../domain/notices/notice-mail.ts';

/**
 * `sent`: SES accepted it. `refused`: SES did not accept it or did not answer; with `isForAll`, the next e-mail would
 * fail, too. The reason is the name of an error: the messages of SES contain addresses.
 */
export type MailOutcome = { kind: 'sent' } | { kind: 'refused'; reason: string; isForAll: boolean };

export type Mailer = { send: (to: string, mail: Mail) => Promise<MailOutcome> };

/** Sends e-mails by Amazon SES. @param from an address that SES has verified, or one of a verified domain. */
export function sesMailer(client: SESv2Client, from: string): Mailer {
  const content = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return {
    async send(to, { subject, text, html }) {
      try {
        await client.send(
          new SendEmailCommand({
            FromEmailAddress: from,
            Destination: { ToAddresses: [to] },
            Content: {
              Simple: { Subject: content(subject), Body: { Text: content(text), Html: content(html) } },
            },
          }),
        );
        return { kind: 'sent' };
      } catch (error) {
        return { kind: 'refused', reason: (error as Error).name, isForAll: !isOfRecipient(error, from) };
      }
    },
  };
}

/**
 * SES uses the same refusal for an unverified sender and for an unverified recipient in a sandbox, and names the
 * address.
 */
const isOfRecipient = (error: unknown, from: string): boolean =>
  error instanceof BadRequestException || (error instanceof MessageRejected && !error.message.includes(from));
