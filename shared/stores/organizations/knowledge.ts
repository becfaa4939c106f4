import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { KnowledgeEntry } from '../../domain/organizations/assistants/assistant.ts';
import { KNOWLEDGE_CHARACTERS, type KnowledgeText } from '../../domain/organizations/assistants/assistant-text.ts';

const BYTES_OF_A_CHARACTER = 4; // UTF-8, at most

export type KnowledgeStore = ReturnType<typeof knowledgeStore>;

/** Accesses the texts of knowledge bases, in the private bucket under the paths of their entries. */
export function knowledgeStore(s3: S3Client, bucket: string) {
  return {
    async put(path: string, text: string): Promise<void> {
      await s3.send(
        new PutObjectCommand({ Bucket: bucket, Key: path, Body: text, ContentType: 'text/plain; charset=utf-8' }),
      );
    },

    /** Removes a text; a repeat is a no-op. */
    async remove(path: string): Promise<void> {
      await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: path }));
    },

    /** Reads as much of each text as a prompt can use. Omits an entry whose text is missing. */
    async read(entries: readonly KnowledgeEntry[]): Promise<KnowledgeText[]> {
      const texts = await Promise.all(
        entries.map(async ({ filename, path }) => {
          const text = await readStart(path);
          return text === undefined ? [] : [{ filename, text }];
        }),
      );
      return texts.flat();
    },
  };

  async function readStart(Key: string): Promise<string | undefined> {
    const Range = `bytes=0-${KNOWLEDGE_CHARACTERS * BYTES_OF_A_CHARACTER - 1}`;
    try {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key, Range }));
      return Body?.transformToString('utf8');
    } catch (error) {
      // Without permission to list the bucket, S3 answers AccessDenied for a missing object.
      if (['NoSuchKey', 'AccessDenied'].includes((error as Error).name)) return undefined;
      throw error;
    }
  }
}
