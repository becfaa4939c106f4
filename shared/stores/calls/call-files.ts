import type { Readable } from 'node:stream';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';

export type CallFiles = ReturnType<typeof callFiles>;

type OfCall = { org_id: string; call_id: string };

/** What was said: transcripts and recordings, in the private bucket. Keys are ours, never a stranger's text. */
export function callFiles(s3: S3Client, bucket: string) {
  return {
    /** @returns the key. The same call always has the same one, so a repeat overwrites it with the same. */
    async putTranscript({ org_id, call_id }: OfCall, text: string): Promise<string> {
      const Key = `transcripts/${org_id}/${call_id}.txt`;
      await s3.send(
        new PutObjectCommand({ Bucket: bucket, Key, Body: text, ContentType: 'text/plain; charset=utf-8' }),
      );
      return Key;
    },

    /** For a transcript that is too long for a queue message, before its call is looked up. */
    async putReportedTranscript(callId: string, text: string): Promise<string> {
      const Key = `reported-transcripts/${callId}.txt`;
      await s3.send(
        new PutObjectCommand({ Bucket: bucket, Key, Body: text, ContentType: 'text/plain; charset=utf-8' }),
      );
      return Key;
    },

    async getTranscript(key: string): Promise<string | undefined> {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
      return Body?.transformToString('utf8');
    },

    /** @returns what a recording is, and how it is opened: anew each time, to be read to its end or destroyed. */
    async recording(
      key: string,
    ): Promise<{ contentType: string; contentLength: number; open: () => Promise<Readable> }> {
      const object = { Bucket: bucket, Key: key };
      const { ContentType = 'audio/wav', ContentLength = 0 } = await s3.send(new HeadObjectCommand(object));
      const open = async () => (await s3.send(new GetObjectCommand(object))).Body as Readable;
      return { contentType: ContentType, contentLength: ContentLength, open };
    },

    /** @param audio.contentLength bytes; S3 needs to know them before a stream begins. */
    async putRecording(
      { org_id, call_id }: OfCall,
      audio: { body: Readable | Uint8Array; contentType: string; contentLength: number },
    ): Promise<string> {
      const extension = audio.contentType.includes('mpeg') ? 'mp3' : 'wav';
      const Key = `recordings/${org_id}/${call_id}.${extension}`;
      await s3.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key,
          Body: audio.body,
          ContentType: audio.contentType,
          ContentLength: audio.contentLength,
        }),
      );
      return Key;
    },
  };
}
