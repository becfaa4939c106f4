/** An HTTP answer as data: rules return it, `reply` writes it. */
export type Answer = {
  status: number;
  json?: unknown;
  html?: string | Promise<string>;
  /** Sent with the content type that the headers name. */
  bytes?: Uint8Array<ArrayBuffer>;
  headers?: Record<string, string>;
  /** The connection breaks after half of the body. */
  isCut?: boolean;
};

/** Ends the work at once with this answer. */
export class Problem extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`${answer.status} ${JSON.stringify(answer.json ?? '')}`);
    this.answer = answer;
  }
}

/** Ends the work without an answer: the connection stays open, or breaks. */
export class WithheldAnswer extends Error {
  readonly kind: 'none' | 'dropped';

  constructor(kind: 'none' | 'dropped') {
    super(kind);
    this.kind = kind;
  }
}
