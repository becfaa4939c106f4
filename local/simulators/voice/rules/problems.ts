import { Problem } from '../../kit/answer.ts';

const errorNames: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** Makes an error in the vendor's form. */
export const problem = (status: number, message: string | string[], headers: Record<string, string> = {}): Problem =>
  new Problem({ status, json: { message, error: errorNames[status] ?? 'Error', statusCode: status }, headers });
