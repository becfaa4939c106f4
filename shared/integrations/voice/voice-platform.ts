import type { Readable } from 'node:stream';
import type { PlatformMessage } from '../../domain/calls/platform/platform-message.ts';

/** The outcome of a dial request. */
export type DialOutcome =
  /** `isQueued`: the platform has no line free and dials later, possibly much later. */
  | { kind: 'accepted'; platformId: string; isQueued?: boolean }
  /** A permanent refusal: a retry would be refused again. */
  | { kind: 'refused'; reason: string }
  /**
   * No phone rang; a retry may succeed. `isOperatorFault`: an operator must fix the key, the payment or a permission.
   * `limit`: which other calls would be refused, too; absent if the platform did not answer.
   */
  | {
      kind: 'not_dialed';
      reason: string;
      isOperatorFault: boolean;
      limit?: 'account' | 'number' | 'destination';
      retryAfterSeconds?: number;
    }
  /** The platform may have dialed, so the call must be looked up before another dial. */
  | { kind: 'unknown'; reason: string };

/** A request without a usable answer. `isUnanswered`: without any answer, for example until its time-out. */
export type Unknown = { kind: 'unknown'; reason: string; isOperatorFault?: boolean; isUnanswered?: true };

/**
 * The result of a lookup by call id. `absent` only after a complete lookup, which was made at `as_of` (ISO 8601).
 * `others`: further calls that the platform has for the same dial.
 */
export type FindOutcome =
  | { kind: 'found'; platformId: string; others: readonly string[] }
  | { kind: 'absent'; as_of: string }
  | Unknown;

/** Looks calls up by our id. Calls that were created at the same time share the requests to the platform. */
export type CallLookup = {
  /**
   * Looks up the call with our `callId` among all calls that were created between the two instants.
   * @param former platform ids of former attempts, which are ignored.
   * @param hasTime whether another request may be sent. The lookup is `unknown` if it needs one without time left
   */
  find(
    callId: string,
    window: { from: Date; to: Date },
    former: ReadonlySet<string>,
    hasTime?: () => boolean,
  ): Promise<FindOutcome>;
};

/** The platform's own record of a call. */
export type ReadOutcome = { kind: 'known'; message: PlatformMessage } | { kind: 'not_found' } | Unknown;

/**
 * `not_live`: the call is over or unknown. `no_way`: it is queued or live, and the platform offers no way to end it.
 * `unreachable`: the platform did not answer. A repeat may succeed after either of the last two.
 */
export type HangUpOutcome =
  | { kind: 'hung_up' }
  | { kind: 'not_live' }
  | { kind: 'no_way' }
  | { kind: 'unreachable'; reason: string };

export type RecordingOutcome =
  | { kind: 'found'; contentType: string; contentLength: number | undefined; body: Readable }
  | { kind: 'not_there' }
  | { kind: 'unknown'; reason: string };

/**
 * `absent`: the account does not know the call. It was deleted before, or belongs to another account, which still has
 * it. `left`: the platform may still have its data; a repeat may succeed.
 */
export type EraseOutcome = { kind: 'erased' } | { kind: 'absent' } | { kind: 'left'; reason: string };

/** A hosted service that conducts phone calls. test/contracts/vapi.test.ts states what the operations rely on. */
export interface VoicePlatform {
  /** Reads the account's key in advance, so that `dial` sends its request at once. */
  prepare(): Promise<void>;

  /** Requests one phone call. Never retries, because a second request is a second ring. */
  dial(request: DialRequest): Promise<DialOutcome>;

  /** Begins the lookups of one run. A listed span is not listed again, so a later run needs a new one. */
  lookup(): CallLookup;

  read(platformId: string): Promise<ReadOutcome>;

  /** Ends a queued or live call. The platform reports the end like any other. */
  hangUp(platformId: string): Promise<HangUpOutcome>;

  recording(platformId: string): Promise<RecordingOutcome>;

  /** Deletes the platform's data of a call that is over. May be repeated. */
  erase(platformId: string): Promise<EraseOutcome>;
}

export type DialRequest = {
  /** Our id, which every message repeats. */
  callId: string;
  phoneNumber: string; // E.164
  /** The platform's id of the calling number; undefined for the account's default. */
  voiceNumberId: string | undefined;
  assistantName: string;
  prompt: string;
  firstMessage: string;
  voice: string | undefined;
  language: string | undefined;
  transferNumber: string | undefined; // E.164
  maxDurationSeconds: number;
  /** The URL for reports, and the headers that authenticate the platform. */
  reports: { url: string; headers: Record<string, string> };
};

/** A webhook message of the platform, reduced to the members that the service uses; undefined if it uses none. */
export type ReadMessage = { callId: string; message: PlatformMessage | undefined };

/** A webhook message before its sender is authenticated. */
export type OpenedMessage = {
  /** The calls that the text names, found without parsing it. */
  callIds: readonly string[];
  /** Parses the message; undefined if it names no call of the service. */
  read: () => ReadMessage | 'not JSON' | undefined;
};
