import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

/**
 * Builds a form with one file as its only part (RFC 7578).
 * @param part.contentLength bytes of the file. Reading the form fails if the file has another length
 * @param part.filename characters that are invalid in a header become `_`
 * @returns a stream for `request`. The caller closes the file
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
    // Without its end the form is incomplete, so that the receiver rejects it.
    if (sent !== contentLength)
      throw Object.assign(new Error('the file has another length than announced'), { code: 'FILE_LENGTH' });
    yield foot;
  }
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    length: head.length + contentLength + foot.length,
    bytes: Readable.from(form()),
  };
}
