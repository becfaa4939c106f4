import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serve } from '../loopback.ts';

/** A fault of the simulator: it refuses as AWS does, or never answers. */
type AwsFault = { error: string; message?: string; status?: number } | 'hang';
type Xml = { xml: string };
type Reply = object | Xml | AwsFault;

/** Answers by operation, such as `GetAccount`; a function gets the input of the request. */
export type AwsAnswers = Readonly<Record<string, Reply | ((asked: Asked) => Reply)>>;
export type Asked = { operation: string; path: string; input: Readonly<Record<string, string>> };

/** The operations of REST services, by patterns of their paths. */
const rest: readonly [RegExp, string][] = [
  [/^\/2016-08-19\/account-settings/, 'GetAccountSettings'],
  [/^\/2019-09-30\/functions\/.*\/concurrency$/, 'GetFunctionConcurrency'],
  [/^\/v2\/email\/account$/, 'GetAccount'],
  [/^\/v2\/email\/identities\//, 'GetEmailIdentity'],
  [/^\/foundation-models\//, 'GetFoundationModel'],
  [/^\/foundation-model-availability\//, 'GetFoundationModelAvailability'],
  [/^\/inference-profiles\//, 'GetInferenceProfile'],
  [/^\/model\/.*\/converse$/, 'Converse'],
  [/^\/phone-number\//, 'GetPhoneNumber'],
];

/**
 * Speaks the wire formats of AWS on the loopback interface: JSON, the query protocol with XML, and REST. It covers
 * services and faults that the emulator does not have.
 */
export async function awsSimulator(answers: AwsAnswers) {
  const asked: string[] = [];
  const requests: (Asked & { region: string | undefined })[] = [];
  const server = await serve((request, response) => {
    void answer(request, response);
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(request, 'end');
    const one = operationOf(request, Buffer.concat(chunks).toString('utf8'));
    asked.push(one.operation);
    // The scope in the signature: KEY/DATE/REGION/SERVICE/aws4_request.
    const region = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(request.headers.authorization ?? '')?.[1];
    requests.push({ ...one, region });
    const given = answers[one.operation];
    const reply = typeof given === 'function' ? given(one) : (given ?? { error: 'UnknownOperation', status: 400 });
    if (reply !== 'hang') send(response, one, reply);
  }
  return { url: server.url, asked, requests };
}

function operationOf({ headers, url = '' }: IncomingMessage, body: string): Asked {
  const path = decodeURIComponent(url);
  const target = headers['x-amz-target'];
  if (typeof target === 'string')
    return { operation: target.split('.').at(-1) ?? '', path, input: body === '' ? {} : JSON.parse(body) };
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    const input = Object.fromEntries(new URLSearchParams(body));
    return { operation: input.Action ?? '', path, input };
  }
  return { operation: rest.find(([pattern]) => pattern.test(path))?.[1] ?? path, path, input: {} };
}

function send(response: ServerResponse, { operation, input }: Asked, reply: Exclude<Reply, 'hang'>): void {
  const isQuery = input.Action !== undefined;
  if ('error' in reply && typeof reply.error === 'string') {
    const { error, status = 400 } = reply;
    const message = 'message' in reply ? String(reply.message) : error;
    response.writeHead(status, { 'x-amzn-errortype': error });
    response.end(
      isQuery
        ? `<ErrorResponse><Error><Type>Sender</Type><Code>${error}</Code><Message>${message}</Message></Error></ErrorResponse>`
        : JSON.stringify({ __type: error, message }),
    );
    return;
  }
  response.end(
    'xml' in reply
      ? `<${operation}Response><${operation}Result>${reply.xml}</${operation}Result></${operation}Response>`
      : JSON.stringify(reply),
  );
}
