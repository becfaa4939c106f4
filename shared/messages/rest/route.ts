import type * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';

/** How a request proves who sent it (docs/rest-api.md). `state` and `link`: by its query. `body`: by a field of it. */
export type Proof = 'apiKey' | 'webhookToken' | 'callSignature' | 'state' | 'link' | 'body' | 'none';

type RestAnswerContract = {
  description: string;
  /** Absent = no body. */
  schema?: z.ZodMiniType;
  /** Whether the answer redirects. */
  isRedirect?: true;
};

/** One route of clients, CRMs or vendors: what the function, the tests and docs/openapi.yaml have in common. */
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
  /** Errors of the shape {error, message}, beside those of every such route. */
  errors?: readonly ErrorCode[];
  /** Errors of the shape {error}, by status: how webhooks and consents refuse. */
  refusals?: Readonly<Record<number, string>>;
};
