import type { EndedAttempt, Lease, ReceiverAnswer } from '../../../domain/after-call/receiver.ts';
import { newToken } from '../../../domain/ids.ts';
import { secondsAfter } from '../../../domain/time/instants.ts';
import type { ReceiverStore } from '../../../stores/after-call/receivers.ts';

export type UseReceiverDeps = {
  now: () => Date;
  /** 0 to 1. */
  random: () => number;
};

type Leased = { leases: readonly Lease[] };
type Refused = { kind: 'refused' };

/** A stored item with the leases of attempts, and its rules. */
export type Leasing<Item extends Leased, Refusal extends Refused> = {
  /** The item's key. */
  receiver: string;
  store: ReceiverStore<Item>;
  admit: (known: Item | undefined, lease: Lease, now: Date) => { kind: 'admitted'; next: Item } | Refusal;
  settle: (known: Item, ended: EndedAttempt) => Item;
};

/** The lease for one attempt. */
export type Admitted = { kind: 'admitted'; leave: (answer: ReceiverAnswer) => Promise<void> };

/** Only workers at the same item write it concurrently, so a few tries are enough. */
const MAX_TRIES = 5;
/** A lease that is not ended delays the next attempts until it expires. */
const MAX_TRIES_TO_END = 15;

/**
 * Takes a lease for one attempt at a receiver, by a conditional write.
 * @param leaseSeconds longer than the worker may run: a worker that dies holds its lease for that long.
 */
export async function enterReceiver<Item extends Leased, Refusal extends Refused>(
  deps: UseReceiverDeps,
  leasing: Leasing<Item, Refusal>,
  leaseSeconds: number,
): Promise<Admitted | Refusal | { kind: 'refused'; reason: 'busy'; isAnswering: true }> {
  const { receiver, store, admit } = leasing;
  const leaseId = newToken();
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [known, now] = [await store.get(receiver), deps.now()];
    const admission = admit(known, { id: leaseId, until: secondsAfter(now, leaseSeconds) }, now);
    if (admission.kind === 'refused') return admission;
    if (admission.next === known || (await store.replace(known, admission.next)))
      return { kind: 'admitted', leave: (answer) => endLease(deps, leasing, leaseId, answer) };
  }
  // The item changes this often only if attempts end fast, so the receiver is answering.
  return { kind: 'refused', reason: 'busy', isAnswering: true };
}

/** Ends the lease and passes the outcome of the attempt to the breaker. A lease that cannot be ended expires. */
async function endLease<Item extends Leased, Refusal extends Refused>(
  { now, random }: UseReceiverDeps,
  { receiver, store, settle }: Leasing<Item, Refusal>,
  leaseId: string,
  answer: ReceiverAnswer,
): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES_TO_END; tries += 1) {
    const known = await store.get(receiver);
    if (!known?.leases.some(({ id }) => id === leaseId)) return;
    if (await store.replace(known, settle(known, { leaseId, ...answer, now: now(), random: random() }))) return;
  }
}
