import { Readable } from 'node:stream';
import { S3ServiceException } from '@aws-sdk/client-s3';
import { callFiles } from '../../../../../shared/stores/calls/files/call-files.ts';

const MB = 1024 * 1024;
const call = { org_id: 'org', call_id: 'call_1' };
const MOST = 20 * MB;

/** A bucket that records its objects and its open uploads. @param failing a request that is refused */
function aBucket(failing?: string) {
  const objects: Record<string, Buffer> = {};
  const open = new Map<string, Buffer[]>();
  const requests: string[] = [];
  const act: Record<string, (input: Record<string, unknown>) => unknown> = {
    PutObject: async ({ Key, Body, ContentLength }) => {
      if (ContentLength === undefined) throw new Error('S3 needs the length');
      objects[`${Key}`] = Buffer.concat(await Readable.from(Body as Readable).toArray());
    },
    CreateMultipartUpload: ({ Key }) => {
      open.set(`${Key}`, []);
      return { UploadId: 'u' };
    },
    UploadPart: ({ Key, Body, PartNumber }) => {
      open.get(`${Key}`)?.push(Body as Buffer);
      return { ETag: `etag ${PartNumber}` };
    },
    CompleteMultipartUpload: ({ Key, MultipartUpload }) => {
      const parts = open.get(`${Key}`) ?? [];
      const listed = parts.map((_, index) => ({ PartNumber: index + 1, ETag: `etag ${index + 1}` }));
      expect(MultipartUpload).toEqual({ Parts: listed });
      expect(parts.slice(0, -1).every(({ length }) => length >= 5 * MB)).toBe(true);
      objects[`${Key}`] = Buffer.concat(parts);
      open.delete(`${Key}`);
    },
    AbortMultipartUpload: ({ Key }) => void open.delete(`${Key}`),
  };
  const send = async (command: { input: Record<string, unknown> }) => {
    const request = command.constructor.name.replace('Command', '');
    requests.push(request);
    if (request === failing) throw new Error('refused');
    return (await act[request]?.(command.input)) ?? {};
  };
  const put = (chunks: Buffer[] | Readable, contentLength?: number) =>
    callFiles({ send } as never, 'b').putRecording(
      call,
      { body: Readable.from(chunks), contentType: 'audio/wav', contentLength },
      MOST,
    );
  return { objects, open, requests, put };
}

const KEY = 'recordings/org/call_1.wav';
const chunksOf = (megabytes: number) => Array.from({ length: megabytes * 4 }, (_, at) => Buffer.alloc(MB / 4, at));

describe('a transcript of an erased call', () => {
  it('is removed with a tag, so that its former version does not stay for 30 days', async () => {
    const requests: object[] = [];
    const send = async ({ input, constructor: { name } }: { input: object; constructor: { name: string } }) =>
      void requests.push({ name, ...input });
    await callFiles({ send } as never, 'b').removeTranscripts(call);
    const objects = ['txt', 'json'].map((extension) => ({ Bucket: 'b', Key: `transcripts/org/call_1.${extension}` }));
    const Tagging = { TagSet: [{ Key: 'retention-days', Value: '7' }] };
    for (const object of objects)
      expect(requests.filter((one) => 'Key' in one && one.Key === object.Key)).toEqual([
        { name: 'PutObjectTaggingCommand', ...object, Tagging },
        { name: 'DeleteObjectCommand', ...object },
      ]);
  });

  it.each([403, 404, 405])('is removed even if the other file is gone, to whose tags S3 answers %d', async (status) => {
    const stored = new Set(['transcripts/org/call_1.json']);
    const { files } = aBucketThat((name, Key) => {
      if (name === 'DeleteObjectCommand') stored.delete(Key);
      return name === 'PutObjectTaggingCommand' && !stored.has(Key) ? status : 200;
    });
    await files.removeTranscripts(call);
    expect([...stored]).toEqual([]);
  });

  it('fails if S3 fails, after it has removed the other file', async () => {
    const removed: string[] = [];
    const { files } = aBucketThat((name, Key) => {
      if (Key.endsWith('.txt')) return 500;
      if (name === 'DeleteObjectCommand') removed.push(Key);
      return 200;
    });
    await expect(files.removeTranscripts(call)).rejects.toThrow('status 500');
    expect(removed).toEqual(['transcripts/org/call_1.json']);
  });
});

/** @param answers returns the status of a request */
function aBucketThat(answers: (name: string, key: string) => number) {
  const send = async ({ input, constructor: { name } }: { input: { Key: string }; constructor: { name: string } }) => {
    const httpStatusCode = answers(name, input.Key);
    if (httpStatusCode === 200) return {};
    throw new S3ServiceException({
      name: 'Refused',
      message: `status ${httpStatusCode}`,
      $fault: 'client',
      $metadata: { httpStatusCode },
    });
  };
  return { files: callFiles({ send } as never, 'b') };
}

describe('a recording of unknown length', () => {
  it.each([1, 8, 9, 16, 20])('is stored unchanged: %d MB', async (megabytes) => {
    const bucket = aBucket();
    expect(await bucket.put(chunksOf(megabytes))).toBe(KEY);
    expect(bucket.objects[KEY]?.equals(Buffer.concat(chunksOf(megabytes)))).toBe(true);
    expect(bucket.open.size).toBe(0);
  });

  it.each([
    ['is too large', () => [...chunksOf(20), Buffer.alloc(1)]],
    ['is empty', () => []],
  ])('is not stored if it %s, and leaves no upload', async (_, chunks) => {
    const bucket = aBucket();
    expect(await bucket.put(chunks())).toBeUndefined();
    expect([bucket.objects, bucket.open.size]).toEqual([{}, 0]);
    expect(bucket.requests.at(-1)).toBe('AbortMultipartUpload');
  });

  it.each(['UploadPart', 'CompleteMultipartUpload'])('leaves no upload if the bucket refuses %s', async (request) => {
    const bucket = aBucket(request);
    await expect(bucket.put(chunksOf(9))).rejects.toThrow('refused');
    expect([bucket.objects, bucket.open.size]).toEqual([{}, 0]);
  });

  it('leaves no upload if its stream breaks', async () => {
    const bucket = aBucket();
    async function* broken() {
      yield* chunksOf(9);
      throw new Error('reset');
    }
    await expect(bucket.put(Readable.from(broken()))).rejects.toThrow('reset');
    expect([bucket.objects, bucket.open.size]).toEqual([{}, 0]);
  });

  it('fails with the first error even if the upload cannot be aborted', async () => {
    const bucket = aBucket('AbortMultipartUpload');
    async function* broken() {
      yield Buffer.alloc(1);
      throw new Error('reset');
    }
    await expect(bucket.put(Readable.from(broken()))).rejects.toThrow('reset');
  });
});

describe('a recording of a known length', () => {
  it('is stored in one request up to the limit, and not read beyond it', async () => {
    const bucket = aBucket();
    expect(await bucket.put(chunksOf(1), MOST)).toBe(KEY);
    expect(bucket.requests).toEqual(['PutObject']);
    expect(await bucket.put(chunksOf(1), MOST + 1)).toBeUndefined();
    expect(bucket.requests).toEqual(['PutObject']);
  });
});
