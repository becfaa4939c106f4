import type { Mail } from '../../../domain/notices/notice-mail.ts';
import type { Mailer, MailOutcome } from '../../../integrations/mail/ses.ts';

export type MailRunDeps = {
  mailer: Mailer;
  timeLeftMs: () => number;
  /** Waits, in milliseconds. */
  sleep: (ms: number) => Promise<void>;
};

/** Ten e-mails a second: an account outside the sandbox may send at least 14 (Amazon SES guide, "Quotas"). */
const PACE_MS = 100;
/** After this many refusals without an accepted e-mail in between, the addresses are not the cause. */
const MAX_REFUSALS_IN_A_ROW = 5;
const MAX_MAILS = 5_000;
/** Enough for one e-mail with all its attempts, and the writes after it. */
const ENOUGH_TIME_MS = 30_000;

export type MailRun = ReturnType<typeof mailRun>;

/** Sends the e-mails of one run: one at a time, at a pace that SES allows, and none once SES refuses all. */
export function mailRun({ mailer, timeLeftMs, sleep }: MailRunDeps) {
  const counts = { mails: 0, refused: 0 };
  let stoppedBy: string | undefined;
  let consecutiveRefusals = 0;
  let queue: Promise<unknown> = Promise.resolve();

  const maySend = (): boolean => stoppedBy === undefined && counts.mails < MAX_MAILS && timeLeftMs() >= ENOUGH_TIME_MS;

  async function send(to: string, mail: Mail): Promise<MailOutcome | undefined> {
    if (!maySend()) return undefined;
    const outcome = await mailer.send(to, mail);
    if (outcome.kind === 'sent') {
      counts.mails += 1;
      consecutiveRefusals = 0;
    } else {
      counts.refused += 1;
      consecutiveRefusals += 1;
      if (outcome.isForAll || consecutiveRefusals === MAX_REFUSALS_IN_A_ROW) stoppedBy = outcome.reason;
    }
    await sleep(PACE_MS);
    return outcome;
  }

  return {
    counts,
    maySend,
    /** The reason why SES accepts no more e-mails in this run. */
    stoppedBy: () => stoppedBy,
    /** @returns undefined if the run sends no more e-mails */
    send(to: string, mail: Mail): Promise<MailOutcome | undefined> {
      const sent = queue.then(() => send(to, mail));
      queue = sent.catch(() => undefined);
      return sent;
    },
  };
}
