import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

/**
 * A form with one file as its only part (RFC 7578).
 * @param part.contentLength bytes of the file; where it has more or fewer, reading the form fails.
 * @param part.filename characters that a header could not carry become `_`.
 * @returns what `request` takes as a stream. The file stays the caller's to close.
 */
export function multipartOf(part: {
  name: string;
  filename: string;
  contentType: string;
  contentLength: number;
  bytes: Readable;
}): { type: string; length: number; bytes: Readable } {
  const { name, filename, contentType, contentLength, bytes } = part;
  const boundary = `----${randomUUID()}`;
  const head = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"; filename="${filename.replace(/[^\w.-]/g, '_')}"\r\n` +
      `content-type: ${contentType}\r\n\r\n`,
  );
  const foot = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* form() {
    yield head;
    let sent = 0;
    for await (const chunk of bytes) {
      sent += (chunk as Buffer).length;
      if (sent > contentLength) break;
      yield chunk as Buffer;
    }
    // Not ended: the form is incomplete, so that nobody takes it for the file.
    if (sent !== contentLength) throw Object.assign(new Error('another length than told'), { code: 'FILE_LENGTH' });
    yield foot;
  }
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    length: head.length + contentLength + foot.length,
    bytes: Readable.from(form()),
  };
}
