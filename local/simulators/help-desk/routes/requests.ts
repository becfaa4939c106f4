import type { SimulatorContext } from '../../kit/app.ts';
import { parsed, readForm } from '../../kit/body.ts';
import type { Part, SeenRequest } from '../model.ts';
import type { HelpDeskState } from '../state.ts';

/** The size of a form's boundaries and headers around the largest file. */
const FORM_BYTES = 65_536;

/** A request of the API, read and recorded. */
export type Incoming = {
  seen: SeenRequest;
  /** The body if it is not a multipart form. */
  body: string;
  /** The parts of a multipart form. */
  parts: Part[] | undefined;
  isTooLarge: boolean;
  /** The texts that faults may search. */
  text: string;
};

export async function readRequest(state: HelpDeskState, { req }: SimulatorContext, route: string): Promise<Incoming> {
  const bytes = await req.arrayBuffer();
  const isTooLarge = bytes.byteLength > state.settings.attachmentBytes + FORM_BYTES;
  const parts = isTooLarge ? undefined : await readParts(req.header('content-type'), bytes);
  const body = parts || isTooLarge ? '' : Buffer.from(bytes).toString('utf8');
  const files = parts?.map(({ name, fileName, bytes: { length } }) => ({ name, fileName, size: length }));
  const query = req.query();
  const seen = state.journal.record((common) => ({
    ...common,
    at: new Date(state.clock()).toISOString(),
    method: req.method,
    path: req.path,
    route,
    query,
    orgId: req.header('orgid') || query.orgId || null,
    body: files ?? parsed(body) ?? body,
  }));
  return {
    seen,
    body,
    parts,
    isTooLarge,
    text: [req.url, ...Object.values(query), body, JSON.stringify(files)].join(' '),
  };
}

/** @returns undefined if the body is not a multipart form. */
async function readParts(type: string | undefined, body: ArrayBuffer): Promise<Part[] | undefined> {
  const form = type?.startsWith('multipart/form-data') ? await readForm(type, body) : undefined;
  return form && Promise.all([...form].map(partOf));
}

const partOf = async ([name, value]: [string, File | string]): Promise<Part> =>
  typeof value === 'string'
    ? { name, bytes: new TextEncoder().encode(value) }
    : { name, fileName: value.name, bytes: new Uint8Array(await value.arrayBuffer()) };
