import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import * as z from 'zod/mini';
import type { LocalClient } from './client.ts';

/** Sender of the local cloud's e-mails, which never leave this machine. */
export const LOCAL_SENDER = 'notices@calling-service.example';

const POLL_MS = 2_000;
const ANSWER_MS = 5_000;

/** MiniStack's view of the submitted e-mails, by account. */
const mailboxSchema = z.object({
  messages: z.record(
    z.string(),
    z.array(
      z.object({
        MessageId: z.string(),
        Source: z.string(),
        To: z.array(z.string()),
        Subject: z.string(),
        BodyText: z.string(),
      }),
    ),
  ),
});

/**
 * Allows the local cloud to send as this address. On AWS, an operator does so once (docs/deploy.md, "Send e-mails").
 */
export async function verifySender(client: LocalClient): Promise<void> {
  const ses = new SESv2Client(client);
  await ses.send(new CreateEmailIdentityCommand({ EmailIdentity: LOCAL_SENDER }));
  ses.destroy();
}

/**
 * Empties a folder, then writes each e-mail that the local cloud sends into a new file there.
 * @param show receives each e-mail, with its file
 * @param fail receives the reason why e-mails cannot be read, once in each outage
 * @returns a function that stops it
 */
export async function writeMailsTo(
  endpoint: string,
  folder: string,
  show: (mail: { to: string; subject: string; file: string }) => void,
  fail: (reason: string) => void,
): Promise<() => Promise<void>> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const ended = new AbortController();
  const known = new Set<string>();
  const poll = async () => {
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(ANSWER_MS)]);
    const answer = await fetch(`${endpoint}/_ministack/ses/messages`, { signal });
    if (!answer.ok) throw new Error(`the local cloud answered ${answer.status}`);
    const { messages } = mailboxSchema.parse(await answer.json());
    for (const { MessageId, Source, To, Subject, BodyText } of Object.values(messages).flat()) {
      if (known.has(MessageId)) continue;
      const to = To.join(', ');
      const file = join(folder, `${String(known.size + 1).padStart(4, '0')}.txt`);
      await writeFile(file, `From: ${Source}\nTo: ${to}\nSubject: ${Subject}\n\n${BodyText}\n`);
      known.add(MessageId);
      show({ to, subject: Subject, file });
    }
  };
  let reportedFailure: string | undefined;
  const polling = (async () => {
    while (!ended.signal.aborted) {
      // The cloud may be stopping or busy; the next poll shows the e-mails that this one did not reach.
      const failure = await poll().then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (failure !== undefined && reportedFailure === undefined && !ended.signal.aborted) fail(failure);
      reportedFailure = failure;
      await sleep(POLL_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  })();
  return async () => {
    ended.abort();
    await polling;
  };
}
