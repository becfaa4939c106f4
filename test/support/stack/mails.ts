import { environment } from './stack.ts';

type StoredMail = { Source: string; To: string[]; Subject: string; BodyText: string; BodyHtml: string };

/** Reads the e-mails that the local cloud has sent to an address, the oldest first. */
export async function mailsTo(address: string): Promise<StoredMail[]> {
  const answer = await fetch(`${environment.emulator_url}/_ministack/ses/messages`);
  const { messages } = (await answer.json()) as { messages: Record<string, StoredMail[]> };
  return Object.values(messages)
    .flat()
    .filter(({ To }) => To.includes(address));
}
