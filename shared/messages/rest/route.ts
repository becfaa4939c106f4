import type * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';

/** How a request authenticates (docs/rest-api.md). `state` and `link`: by its query. `body`: by a field of the body. */
export type Proof = 'apiKey' | 'webhookToken' | 'callSignature' | 'state' | 'link' | 'body' | 'none';

type RestAnswerContract = {
  description: string;
  /** Absent for no body. */
  schema?: z.ZodMiniType;
  /** Whether the answer redirects. */
  isRedirect?: true;
};

/** A route of clients, CRMs or vendors, shared by its function, the tests and docs/openapi.yaml. */
export type RestRoute = {
  method: 'GET' | 'HEAD' | 'POST';
  path: `/${string}`;
  summary: string;
  description?: string;
  proof: Proof;
  query?: readonly string[];
  /** The JSON body. */
  request?: z.ZodMiniType;
  /** The body is multipart/form-data, with files in the field `files`. */
  takesFiles?: true;
  /** Successful answers by status. */
  answers: Readonly<Record<number, RestAnswerContract>>;
  /** Errors of the form {error, message}, in addition to the errors of every such route. */
  errors?: readonly ErrorCode[];
  /** Errors of the form {error}, by status, for webhooks and consents. */
  refusals?: Readonly<Record<number, string>>;
};
