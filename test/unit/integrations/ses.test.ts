import {
  BadRequestException,
  MessageRejected,
  type SESv2Client,
  TooManyRequestsException,
} from '@aws-sdk/client-sesv2';
import { sesMailer } from '../../../shared/integrations/mail/ses.ts';

describe('an e-mail', () => {
  it('is sent by SES as text and HTML, and the reason of a refusal contains no address', async () => {
    const requests: object[] = [];
    const failing = (error?: Error) =>
      sesMailer(
        {
          send: async ({ input }: { input: object }) => {
            requests.push(input);
            if (error) throw error;
          },
        } as unknown as SESv2Client,
        'notices@example.com',
      ).send('a@example.com', { subject: 's', text: 't', html: '<p>t</p>' });
    const because = (message: string) => ({ message, $metadata: {} });
    expect(await failing()).toEqual({ kind: 'sent' });
    expect(requests[0]).toMatchObject({
      FromEmailAddress: 'notices@example.com',
      Destination: { ToAddresses: ['a@example.com'] },
      Content: { Simple: { Subject: { Data: 's' }, Body: { Text: { Data: 't' }, Html: { Data: '<p>t</p>' } } } },
    });
    const answers = [
      new BadRequestException(because('a@example.com')),
      new MessageRejected(because('not verified: a@example.com')),
      new MessageRejected(because('not verified: notices@example.com')),
      new TooManyRequestsException(because('x')),
      new Error('a@example.com'),
    ];
    expect(await Promise.all(answers.map(failing))).toEqual([
      { kind: 'refused', reason: 'BadRequestException', isForAll: false },
      { kind: 'refused', reason: 'MessageRejected', isForAll: false },
      { kind: 'refused', reason: 'MessageRejected', isForAll: true },
      { kind: 'refused', reason: 'TooManyRequestsException', isForAll: true },
      { kind: 'refused', reason: 'Error', isForAll: true },
    ]);
  });
});
