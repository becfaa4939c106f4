import { environment } from './stack.ts';

type Kept = { Source: string; To: string[]; Subject: string; BodyText: string; BodyHtml: string };

/** Reads the e-mails that the local cloud has sent to an address, the oldest first. */
export async function mailsTo(address: string): Promise<Kept[]> {
  const answer = await fetch(`${environment.emulator_url}/_ministack/ses/messages`);
  const { messages } = (await answer.json()) as { messages: Record<string, Kept[]> };
  return Object.values(messages)
    .flat()
    .filter(({ To }) => To.includes(address));
}
