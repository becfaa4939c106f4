import type { ArmedFault } from './faults.ts';

/** A request of the vendor's route. */
export type SeenRequest = {
  number: number;
  modelId: string;
  /** JSON as it came; null where it is none. */
  body: unknown;
  /** What stands between the marks of the transcript, or all that the user says. Empty where the body is refused. */
  transcript: string;
  fault: string | null;
  /** `none` is never answered, `dropped` a broken connection. */
  answer: number | 'pending' | 'none' | 'dropped';
};

/** Transcripts are long, and a run may go on for hours. */
const MOST_REQUESTS = 2_000;

export class ModelState {
  faults: ArmedFault[] = [];
  requests: SeenRequest[] = [];
  #count = 0;

  seen(modelId: string, body: unknown): SeenRequest {
    this.#count += 1;
    const request: SeenRequest = {
      number: this.#count,
      modelId,
      body,
      transcript: '',
      fault: null,
      answer: 'pending',
    };
    this.requests.push(request);
    if (this.requests.length > MOST_REQUESTS) this.requests.shift();
    return request;
  }

  reset(): void {
    this.faults = [];
    this.requests = [];
  }
}
