import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { Call } from '../../../domain/calls/call.ts';
import { type TalkLine, writeTalk } from '../../../domain/calls/conversation/talk.ts';
import { RETENTION_DAYS, RETENTION_TAG } from '../../../domain/organizations/retention.ts';
import { uploadStream } from './stream-upload.ts';

const JSON_TYPE = 'application/json';

export type CallFiles = ReturnType<typeof callFiles>;

type OfCall = Pick<Call, 'org_id' | 'call_id' | 'keep'>;

/** `report`: distinguishes the reports of a call, so that a file is only replaced by a repeat of its own report. */
type OfReport = { callId: string; report: string };

/** The tag by which a lifecycle rule of the bucket removes an object (lib/stacks/data.ts). */
const tagged = (days: number | undefined) => (days === undefined ? {} : { Tagging: `${RETENTION_TAG}=${days}` });

/**
 * Returns whether the bucket does not have the file that was read. S3 says so only to callers that may list the bucket.
 */
export const isMissingFile = (error: unknown): boolean =>
  error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name);

/**
 * Returns whether a file whose tags were to be changed no longer exists. S3 answers 405 for a key whose newest version
 * is a delete marker (Amazon S3 user guide, "Delete markers").
 */
export const isGone = (error: unknown): boolean => [404, 405].includes(statusOf(error));

const statusOf = (error: unknown): number =>
  (error instanceof S3ServiceException && error.$metadata.httpStatusCode) || 0;

/** Transcripts and recordings in the private bucket. Their keys contain only ids of the service. */
export function callFiles(s3: S3Client, bucket: string) {
  return {
    /** @returns the key, which is stable across retries. */
    async putTranscript({ org_id, call_id, keep }: OfCall, text: string): Promise<string> {
      const Key = `transcripts/${org_id}/${call_id}.txt`;
      await s3.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key,
          Body: text,
          ContentType: 'text/plain; charset=utf-8',
          ...tagged(keep?.transcripts),
        }),
      );
      return Key;
    },

    /** Stores the lines with their times. @returns the key, which is stable across retries. */
    async putLines({ org_id, call_id, keep }: OfCall, lines: readonly TalkLine[]): Promise<string> {
      const Key = `transcripts/${org_id}/${call_id}.json`;
      const object = { Bucket: bucket, Key, Body: writeTalk(lines), ContentType: JSON_TYPE };
      await s3.send(new PutObjectCommand({ ...object, ...tagged(keep?.transcripts) }));
      return Key;
    },

    /**
     * Removes the transcript of a call, and its lines, if they exist. With the tag, the bucket removes their former
     * versions after a day, not 30 (lib/stacks/data.ts). @throws the first failure of S3, after both files were tried
     */
    async removeTranscripts({ org_id, call_id }: Pick<OfCall, 'org_id' | 'call_id'>): Promise<void> {
      const Tagging = { TagSet: [{ Key: RETENTION_TAG, Value: String(Math.min(...RETENTION_DAYS)) }] };
      const removals = ['txt', 'json'].map(async (extension) => {
        const object = { Bucket: bucket, Key: `transcripts/${org_id}/${call_id}.${extension}` };
        // S3 answers 403, not 404, to callers that may not list the bucket.
        const isAbsent = (error: unknown) => isGone(error) || statusOf(error) === 403;
        await s3.send(new PutObjectTaggingCommand({ ...object, Tagging })).catch((error) => {
          if (!isAbsent(error)) throw error;
        });
        await s3.send(new DeleteObjectCommand(object));
      });
      const failure = (await Promise.allSettled(removals)).find((end) => end.status === 'rejected');
      if (failure) throw failure.reason;
    },

    /** Stores lines that are too long for a queue message, before their call is read. */
    async putReportedLines({ callId, report }: OfReport, lines: readonly TalkLine[]): Promise<string> {
      const Key = `reported-transcripts/${callId}.${report}.json`;
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body: writeTalk(lines), ContentType: JSON_TYPE }));
      return Key;
    },

    /** Stores a transcript that is too long for a queue message, before its call is read. */
    async putReportedTranscript({ callId, report }: OfReport, text: string): Promise<string> {
      const Key = `reported-transcripts/${callId}.${report}.txt`;
      await s3.send(
        new PutObjectCommand({ Bucket: bucket, Key, Body: text, ContentType: 'text/plain; charset=utf-8' }),
      );
      return Key;
    },

    /** Applies the call's retention to reported transcripts. */
    async tagReported(keys: readonly string[], days: number): Promise<void> {
      const Tagging = { TagSet: [{ Key: RETENTION_TAG, Value: String(days) }] };
      for (const Key of keys) await s3.send(new PutObjectTaggingCommand({ Bucket: bucket, Key, Tagging }));
    },

    /** Removes reported transcripts; a repeat is a no-op. */
    async removeReported(keys: readonly string[]): Promise<void> {
      for (const Key of keys) await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
    },

    async getTranscript(key: string): Promise<string | undefined> {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      return Body?.transformToString('utf8');
    },

    /** Reads a transcript or its lines. @returns undefined if the bucket does not have the file */
    async findText(key: string): Promise<string | undefined> {
      try {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
        return await Body?.transformToString('utf8');
      } catch (error) {
        if (isMissingFile(error)) return undefined;
        throw error;
      }
    },

    /**
     * Reads the metadata of a recording. `open` starts a new download, whose stream the caller must read or destroy.
     */
    async recording(
      key: string,
    ): Promise<{ contentType: string; contentLength: number; open: () => Promise<Readable> }> {
      const object = { Bucket: bucket, Key: key };
      const { ContentType = 'audio/wav', ContentLength = 0 } = await s3.send(new HeadObjectCommand(object));
      const open = async () => (await s3.send(new GetObjectCommand(object))).Body as Readable;
      return { contentType: ContentType, contentLength: ContentLength, open };
    },

    /**
     * Stores a recording.
     * @param audio.contentLength bytes; undefined if unknown in advance.
     * @returns the key, or undefined if the audio is longer than `mostBytes`, or is empty and of unknown length
     */
    async putRecording(
      { org_id, call_id, keep }: OfCall,
      audio: { body: Readable; contentType: string; contentLength: number | undefined },
      mostBytes: number,
    ): Promise<string | undefined> {
      const { body, contentType: ContentType, contentLength: ContentLength } = audio;
      const extension = ContentType.includes('mpeg') ? 'mp3' : 'wav';
      const Key = `recordings/${org_id}/${call_id}.${extension}`;
      const object = { Bucket: bucket, Key, ContentType, ...tagged(keep?.recordings) };
      if (ContentLength === undefined)
        return (await uploadStream(s3, object, body, mostBytes)) ? object.Key : undefined;
      if (ContentLength > mostBytes) return undefined;
      await s3.send(new PutObjectCommand({ ...object, Body: body, ContentLength }));
      return object.Key;
    },
  };
}
