import type { Readable } from 'node:stream';
import type { PlatformMessage } from '../../domain/calls/platform-message.ts';

/** What became of asking for a call. */
export type DialOutcome =
  | { kind: 'accepted'; platformId: string }
  /** For good: this call will not be dialed. */
  | { kind: 'refused'; reason: string }
  /** Nothing rang; may be tried again. An operator's fault (key, payment, permission) needs a human. */
  | { kind: 'not_dialed'; reason: string; isOperatorFault: boolean }
  /** The platform may or may not have dialed, so nobody may ask again before looking the call up. */
  | { kind: 'unknown'; reason: string };

/** Nothing was learned. An operator's fault (key, payment, permission) needs a human. */
export type Unknown = { kind: 'unknown'; reason: string; isOperatorFault?: boolean };

/** What a look-up by our own call id found. `absent` only after a complete look. */
export type FindOutcome = { kind: 'found'; platformId: string } | { kind: 'absent' } | Unknown;

/** How the platform's own record of a call stands. */
export type ReadOutcome = { kind: 'known'; message: PlatformMessage } | { kind: 'not_found' } | Unknown;

export type RecordingOutcome =
  | { kind: 'found'; contentType: string; contentLength: number | undefined; body: Readable }
  | { kind: 'not_there' }
  | { kind: 'unknown'; reason: string };

/** A hosted service that conducts phone calls. Every adapter passes test/contracts/voice-platform.ts. */
export interface VoicePlatform {
  /** Reads what `dial` needs (the account's key), so that the dial itself waits for nothing else. */
  prepare(): Promise<void>;

  /** Asks for one phone call. Never retries: a second request is a second ring. */
  dial(request: DialRequest): Promise<DialOutcome>;

  /**
   * Looks for the call that carries our `callId` among all created between the two instants.
   * @param former ids of attempts that are over: they do not count.
   */
  find(callId: string, window: { from: Date; to: Date }, former: ReadonlySet<string>): Promise<FindOutcome>;

  read(platformId: string): Promise<ReadOutcome>;

  /** Ends a live call. The end is reported like any other. @returns false where it was not live any more. */
  hangUp(platformId: string): Promise<boolean>;

  recording(platformId: string): Promise<RecordingOutcome>;
}

export type DialRequest = {
  /** Ours; comes back with every message. */
  callId: string;
  phoneNumber: string; // E.164
  /** The platform's id of the number that calls; undefined = the account's default. */
  voiceNumberId: string | undefined;
  assistantName: string;
  prompt: string;
  firstMessage: string;
  voice: string | undefined;
  language: string | undefined;
  transferNumber: string | undefined; // E.164
  maxDurationSeconds: number;
  /** Where the platform reports to, and the headers that prove that it is the platform. */
  reports: { url: string; headers: Record<string, string> };
};

/** A message from a platform's webhook, reduced to what we keep. */
export type ReadMessage = { callId: string; message: PlatformMessage };
