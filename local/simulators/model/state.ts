import { Journal, type SeenRequest as JournalRequest } from '../kit/journal.ts';
import type { Fault } from './faults.ts';

export type SeenRequest = JournalRequest & {
  modelId: string;
  /** Parsed JSON; null if the body is not JSON. */
  body: unknown;
  /** The text between the transcript's tags, or the user's first text. Empty if the body is refused. */
  transcript: string;
};

/** Transcripts are long, and a run may take hours. */
const MAX_REQUESTS = 2_000;

export class ModelState {
  readonly journal = new Journal<SeenRequest, Fault>(MAX_REQUESTS);
  readonly stopController = new AbortController();
}
