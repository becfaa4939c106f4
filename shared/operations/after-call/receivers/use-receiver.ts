import {
  admit,
  type ReceiverAnswer,
  type ReceiverRefusal,
  settleAttempt,
} from '../../../domain/after-call/receiver.ts';
import { newToken } from '../../../domain/ids.ts';
import { secondsAfter } from '../../../domain/time/instants.ts';
import type { ReceiverStore } from '../../../stores/after-call/receivers.ts';

export type UseReceiverDeps = {
  receivers: Pick<ReceiverStore, 'get' | 'replace'>;
  now: () => Date;
  /** 0 to 1. */
  random: () => number;
};

/** The lease for one attempt at a receiver. */
export type Admitted = { kind: 'admitted'; receiver: string; leaseId: string };

/** Only workers at the same receiver write its item concurrently, so a few tries are enough. */
const MOST_TRIES = 5;

/**
 * Takes a lease for one attempt at a receiver, by a conditional write.
 * @param leaseSeconds longer than the worker may run: a worker that dies holds its lease until then.
 */
export async function enterReceiver(
  { receivers, now }: UseReceiverDeps,
  receiver: string,
  leaseSeconds: number,
): Promise<Admitted | ReceiverRefusal> {
  const leaseId = newToken();
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const known = await receivers.get(receiver);
    const admission = admit(receiver, known, { id: leaseId, until: secondsAfter(now(), leaseSeconds) }, now());
    if (admission.kind === 'refused') return admission;
    if (admission.next === known || (await receivers.replace(known, admission.next)))
      return { kind: 'admitted', receiver, leaseId };
  }
  // The item changes this often only if attempts end fast, so the receiver is answering.
  return { kind: 'refused', reason: 'busy', isAnswering: true };
}

/** Ends the lease and passes the outcome of the attempt to the breaker. A lease that cannot be ended expires. */
export async function leaveReceiver(
  { receivers, now, random }: UseReceiverDeps,
  { receiver, leaseId }: Admitted,
  answer: ReceiverAnswer,
): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const known = await receivers.get(receiver);
    if (!known?.leases.some(({ id }) => id === leaseId)) return;
    if (await receivers.replace(known, settleAttempt(known, { leaseId, ...answer, now: now(), random: random() })))
      return;
  }
}
