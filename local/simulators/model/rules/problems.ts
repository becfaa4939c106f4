import { Problem } from '../../kit/answer.ts';

/** Makes an error in the vendor's form: its name in a header, its message in the body. */
const problem = (status: number, type: string, message: string) =>
  new Problem({
    status,
    json: { message },
    headers: { 'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/` },
  });

/** Names and statuses: Amazon Bedrock API reference, "Converse", Errors. */
export const problems = {
  throttle: () => problem(429, 'ThrottlingException', 'Too many requests, please wait before trying again.'),
  quota: () =>
    problem(400, 'ServiceQuotaExceededException', 'Your request exceeds the service quota for your account.'),
  accessDenied: () =>
    problem(403, 'AccessDeniedException', "You don't have access to the model with the specified model ID."),
  notFound: () =>
    problem(
      404,
      'ResourceNotFoundException',
      'Could not resolve the foundation model from the provided model identifier.',
    ),
  validation: (message: string) => problem(400, 'ValidationException', message),
  modelTimeout: () =>
    problem(408, 'ModelTimeoutException', 'Model has timed out in processing the request. Try your request again.'),
  modelError: () =>
    problem(
      424,
      'ModelErrorException',
      'The system encountered an unexpected error during processing. Try your request again.',
    ),
  modelNotReady: () =>
    problem(429, 'ModelNotReadyException', 'Model is not ready for inference. Wait and try your request again.'),
  serverError: () =>
    problem(
      500,
      'InternalServerException',
      'The system encountered an unexpected error during processing. Try your request again.',
    ),
  unavailable: () => problem(503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.'),
  unsigned: () => problem(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token'),
  badSignature: (message: string) => problem(403, 'InvalidSignatureException', message),
  unknownOperation: () =>
    problem(404, 'UnknownOperationException', 'The requested operation is not recognized by the service.'),
};
