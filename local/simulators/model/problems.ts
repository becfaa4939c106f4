/** An answer other than success, in the vendor's form: the error's name in a header, its message in the body. */
export class Problem extends Error {
  readonly status: number;
  readonly type: string;

  constructor(status: number, type: string, message: string) {
    super(message);
    this.status = status;
    this.type = type;
  }
}

/** Names and statuses: Amazon Bedrock API reference, "Converse", Errors. */
export const problems = {
  throttle: () => new Problem(429, 'ThrottlingException', 'Too many requests, please wait before trying again.'),
  quota: () =>
    new Problem(400, 'ServiceQuotaExceededException', 'Your request exceeds the service quota for your account.'),
  accessDenied: () =>
    new Problem(403, 'AccessDeniedException', "You don't have access to the model with the specified model ID."),
  notFound: () =>
    new Problem(
      404,
      'ResourceNotFoundException',
      'Could not resolve the foundation model from the provided model identifier.',
    ),
  validation: (message: string) => new Problem(400, 'ValidationException', message),
  modelTimeout: () =>
    new Problem(408, 'ModelTimeoutException', 'Model has timed out in processing the request. Try your request again.'),
  modelError: () =>
    new Problem(
      424,
      'ModelErrorException',
      'The system encountered an unexpected error during processing. Try your request again.',
    ),
  modelNotReady: () =>
    new Problem(429, 'ModelNotReadyException', 'Model is not ready for inference. Wait and try your request again.'),
  serverError: () =>
    new Problem(
      500,
      'InternalServerException',
      'The system encountered an unexpected error during processing. Try your request again.',
    ),
  unavailable: () => new Problem(503, 'ServiceUnavailableException', 'Bedrock is unable to process your request.'),
  unsigned: () => new Problem(403, 'MissingAuthenticationTokenException', 'Missing Authentication Token'),
  badSignature: (message: string) => new Problem(403, 'InvalidSignatureException', message),
  unknownOperation: () =>
    new Problem(404, 'UnknownOperationException', 'The requested operation is not recognized by the service.'),
};
