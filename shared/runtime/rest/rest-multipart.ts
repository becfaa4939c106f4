import busboy, { type Busboy } from 'busboy';
import {
  MAX_FILES,
  MAX_UPLOAD_BYTES,
  type UploadedFile,
} from '../../domain/organizations/assistants/knowledge-file.ts';
import type { UploadRefusal } from '../../operations/organizations/steps/append-knowledge.ts';
import type { RestRequest } from './rest-route.ts';

const FIELD = 'files';
/** Longest boundary (RFC 2046, 5.1.1). Some parsers hang on longer ones. */
const MAX_BOUNDARY_CHARACTERS = 70;
/** Fields other than files are ignored, so a few are enough. */
const MAX_FIELDS = 20;
const MAX_FIELD_BYTES = 1024 * 1024;
/** Allowance for boundaries, headers and fields. */
const MAX_OVERHEAD_BYTES = 1024 * 1024;
const MEGABYTE = 1024 * 1024;

type Upload = { ok: true; files: UploadedFile[] } | UploadRefusal;

const refusal = (error: UploadRefusal['error'], message: string): UploadRefusal => ({ ok: false, error, message });

const noFiles = () => refusal('no_files_uploaded', 'No files uploaded');
const tooLarge = () =>
  refusal('payload_too_large', `The files of an upload have ${MAX_UPLOAD_BYTES / MEGABYTE} MB at most.`);

/**
 * Extracts the files of a multipart body. Other fields are ignored, but a file in another field is an error: the client
 * would not notice that it is missing.
 */
export async function readMultipart({ headers, body }: RestRequest): Promise<Upload> {
  if (body.length === 0) return noFiles();
  const type = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(type)) return noFiles();
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]*)"|([^\s;]+))/i.exec(type) ?? [];
  const boundary = quoted ?? plain ?? '';
  if (boundary === '' || boundary.length > MAX_BOUNDARY_CHARACTERS)
    return refusal(
      'invalid_request',
      `The content type needs a boundary of 1 to ${MAX_BOUNDARY_CHARACTERS} characters.`,
    );
  if (body.length > MAX_UPLOAD_BYTES + MAX_OVERHEAD_BYTES) return tooLarge();
  const parser = parserOf(type);
  return parser ? parse(parser, body) : refusal('invalid_request', 'The content type cannot be read.');
}

/** Sets every limit of the parser, because most default to unlimited. */
function parserOf(contentType: string): Busboy | undefined {
  try {
    return busboy({
      headers: { 'content-type': contentType },
      defParamCharset: 'utf8',
      limits: {
        fieldNameSize: 100,
        fieldSize: MAX_FIELD_BYTES,
        fields: MAX_FIELDS,
        files: MAX_FILES,
        // The events of `fileSize` and `parts` fire when the limit is reached, not when it is exceeded.
        fileSize: MAX_UPLOAD_BYTES + 1,
        parts: MAX_FILES + MAX_FIELDS + 1,
        headerPairs: 20,
      },
    });
  } catch {
    return undefined;
  }
}

/**
 * The escapes of browsers and curl for the characters that would end a quoted name. They escape no other characters.
 */
const ESCAPES: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' };

/**
 * Restores a file name (HTML standard, "multipart/form-data encoding algorithm"). A `%22` that is itself part of a name
 * is sent unescaped, so it also becomes a quote.
 */
const unescaped = (filename: string): string =>
  filename.replace(/%(?:22|0D|0A)/g, (escaped) => ESCAPES[escaped] ?? escaped);

function parse(parser: Busboy, body: Buffer): Promise<Upload> {
  return new Promise((resolve) => {
    const files: UploadedFile[] = [];
    let bytes = 0;
    let refused: UploadRefusal | undefined;
    const refuse = (error: UploadRefusal['error'], message: string) => {
      refused ??= refusal(error, message);
    };
    const broken = () => refuse('invalid_request', 'The multipart body is broken or ends too early.');
    parser
      .on('file', (field, stream, { filename }) => {
        const chunks: Buffer[] = [];
        let length = 0;
        stream
          .on('data', (chunk: Buffer) => {
            length += chunk.length;
            bytes += chunk.length;
            if (bytes > MAX_UPLOAD_BYTES) refused ??= tooLarge();
            else chunks.push(chunk);
          })
          .on('limit', () => {
            refused ??= tooLarge();
          })
          .on('error', broken)
          .on('close', () => {
            // Browsers send this for a file field without a chosen file.
            if (length === 0 && !filename) return;
            if (field === FIELD) files.push({ filename: unescaped(filename ?? ''), bytes: Buffer.concat(chunks) });
            else refuse('invalid_request', `Send all files in the field ${FIELD}.`);
          });
      })
      .on('filesLimit', () => refuse('invalid_request', `An upload has ${MAX_FILES} files at most.`))
      .on('fieldsLimit', () => refuse('invalid_request', `An upload has ${MAX_FIELDS} other fields at most.`))
      .on('partsLimit', () => refuse('invalid_request', 'The body has too many parts.'))
      .on('error', () => {
        broken();
        resolve(refused as UploadRefusal);
      })
      .on('close', () => resolve(refused ?? (files.length === 0 ? noFiles() : { ok: true, files })));
    parser.end(body);
  });
}
