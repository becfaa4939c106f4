import { useRef, useState } from 'react';
import { addKnowledge } from '../../../shared/messages/dashboard/assistants.ts';
import { ApiError, isTransient } from '../../app/api/api-error.ts';
import { refetchRoleIfDenied } from '../../app/query/query-client.ts';
import { createUploadClient } from '../../app/session/upload.ts';
import { toast } from '../../components/message/toasts.ts';
import { refreshAssistant } from './assistant-query.ts';

type Upload = {
  id: number;
  file: File;
  /** The share that was sent, from 0 to 1. */
  share: number;
  failure?: unknown;
  /** Sent with every try, so that a file whose answer was lost is not added twice. */
  idempotencyKey: string;
};

/** The API accepts 4 MB per request. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Uploads files one after the other, each in its own request, so that a refused file does not stop the others. */
export function useUploads(assistantId: string) {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const last = useRef(0);
  const queue = useRef(Promise.resolve());
  const change = (id: number, next: Partial<Upload>) =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...next } : one)));
  const dismiss = (id: number) => setUploads((all) => all.filter((one) => one.id !== id));

  async function send({ id, file, idempotencyKey }: Upload): Promise<void> {
    try {
      if (file.size > MAX_BYTES) throw new ApiError({ status: 413, code: 'file_too_large' });
      const body = new FormData();
      body.append('files', file);
      const call = createUploadClient((share) => change(id, { share }));
      await call(addKnowledge, { params: { id: assistantId }, body, idempotencyKey });
      toast(`${file.name} is added.`);
      await refreshAssistant(assistantId);
      dismiss(id);
    } catch (failure) {
      refetchRoleIfDenied(failure);
      change(id, { failure });
    }
  }

  /** Adds files to the queue. A file that is chosen again after a lost answer repeats the same upload. */
  function add(files: readonly File[]): void {
    const next = files.map((file): Upload => {
      const former = uploads.find((one) => isTransient(one.failure) && isSameFile(one.file, file));
      return { id: ++last.current, file, share: 0, idempotencyKey: former?.idempotencyKey ?? crypto.randomUUID() };
    });
    const keys = next.map(({ idempotencyKey }) => idempotencyKey);
    setUploads((all) => [...all.filter(({ idempotencyKey }) => !keys.includes(idempotencyKey)), ...next]);
    for (const upload of next) queue.current = queue.current.then(() => send(upload));
  }
  return { uploads, add, dismiss };
}

const isSameFile = (one: File, other: File): boolean =>
  one.name === other.name && one.size === other.size && one.lastModified === other.lastModified;
