import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { KnowledgeEntry } from '../../domain/organizations/assistant.ts';
import { KNOWLEDGE_CHARACTERS, type KnowledgeText } from '../../domain/organizations/assistant-text.ts';

const BYTES_OF_A_CHARACTER = 4; // UTF-8, at most

export type KnowledgeStore = ReturnType<typeof knowledgeStore>;

/** The texts of the assistants' knowledge bases, in the private bucket under the entries' paths. */
export function knowledgeStore(s3: S3Client, bucket: string) {
  return {
    /** A text that no entry names yet is found by nobody. */
    async put(path: string, text: string): Promise<void> {
      await s3.send(
        new PutObjectCommand({ Bucket: bucket, Key: path, Body: text, ContentType: 'text/plain; charset=utf-8' }),
      );
    },

    /** The entries' texts, each no longer than a prompt could take. An entry whose text is gone is left out. */
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
      // Without the right to list, S3 answers AccessDenied for what is not there.
      if (['NoSuchKey', 'AccessDenied'].includes((error as Error).name)) return undefined;
      throw error;
    }
  }
}
