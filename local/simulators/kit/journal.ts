import { type Armed, type CountedFault, takeFault } from './faults.ts';

/** A request of a vendor's route. */
export type SeenRequest = {
  number: number;
  method: string;
  path: string;
  /** The kind of the fault that affected it. */
  fault: string | null;
  /** `none`: no answer is sent. `dropped`: the connection is broken. */
  answer: number | 'pending' | 'none' | 'dropped';
};

/** The requests that a simulator received, and the faults that are armed. */
export class Journal<Seen extends SeenRequest, Fault extends CountedFault & { kind: string }> {
  requests: Seen[] = [];
  faults: Armed<Fault>[] = [];
  inFlight = new InFlight();
  private readonly mostRequests: number;
  private count = 0;

  /** @param mostRequests to store; the next one replaces the oldest */
  constructor(mostRequests = Number.POSITIVE_INFINITY) {
    this.mostRequests = mostRequests;
  }

  /** @param seen creates the entry from the request's number */
  record(seen: (common: Pick<SeenRequest, 'number' | 'fault' | 'answer'>) => Seen): Seen {
    this.count += 1;
    const request = seen({ number: this.count, fault: null, answer: 'pending' });
    this.requests.push(request);
    if (this.requests.length > this.mostRequests) this.requests.shift();
    return request;
  }

  arm(fault: Fault): void {
    this.faults.push({ ...fault, skipped: 0, affected: 0 });
  }

  /** Takes the first fault that matches a request, counts it, and records it with the request. */
  takeFault(seen: Seen, matches: (fault: Fault) => boolean): Fault | undefined {
    const fault = takeFault(this.faults, matches);
    seen.fault = fault?.kind ?? null;
    return fault;
  }

  reset(): void {
    this.requests = [];
    this.faults = [];
    this.inFlight = new InFlight();
  }
}

/** Counts open requests by keys of the caller's choice, and each key's maximum. */
class InFlight {
  private readonly counts = new Map<string, number>();
  readonly most = new Map<string, number>();

  now(key: string): number {
    return this.counts.get(key) ?? 0;
  }

  /** Counts a request under each key. @returns a function that ends the request; call it once */
  enter(keys: string[]): () => void {
    for (const key of keys) {
      const now = this.now(key) + 1;
      this.counts.set(key, now);
      this.most.set(key, Math.max(now, this.most.get(key) ?? 0));
    }
    return () => {
      for (const key of keys) this.counts.set(key, this.now(key) - 1);
    };
  }
}
