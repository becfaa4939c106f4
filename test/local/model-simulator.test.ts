import { once } from 'node:events';
import { connect } from 'node:http2';
import { text } from 'node:stream/consumers';
import { modelControl } from '../../local/simulators/model/control.ts';
import { startModelSimulator } from '../../local/simulators/model/server.ts';

const simulator = await startModelSimulator();
const control = modelControl(simulator.controlUrl);
const session = connect(simulator.url);

const signature = (service = 'bedrock') =>
  `AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0`;

async function post(
  body: unknown,
  authorization = signature(),
): Promise<{ status: number; type: string; body: Record<string, unknown> }> {
  const stream = session.request({
    ':method': 'POST',
    ':path': `/model/${encodeURIComponent('amazon.nova-lite-v1:0')}/converse`,
    'content-type': 'application/json',
    ...(authorization && { authorization }),
  });
  stream.end(typeof body === 'string' ? body : JSON.stringify(body));
  const [headers] = (await once(stream, 'response')) as [Record<string, string>];
  const answer = await text(stream);
  return { status: Number(headers[':status']), type: headers['x-amzn-errortype'] ?? '', body: JSON.parse(answer) };
}

const said = (words: string) => ({ role: 'user', content: [{ text: `<transcript>\n${words}\n</transcript>` }] });
const tool = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  toolSpec: { name: 'answer', inputSchema: { json: { type: 'object', properties, ...more } } },
});
const plain = { messages: [said('User: Hello.')] };

/** Reads the input of the tool for a transcript. */
async function filled(words: string, properties: Record<string, unknown>, required: string[] = []): Promise<unknown> {
  const toolConfig = { tools: [tool(properties, { required })], toolChoice: { tool: { name: 'answer' } } };
  const { body } = await post({ messages: [said(words)], toolConfig });
  const { message } = body.output as { message: { content: { toolUse: { input: unknown } }[] } };
  return message.content[0]?.toolUse.input;
}

beforeEach(() => control.reset());
afterAll(async () => {
  session.destroy();
  await simulator.stop();
});

describe('the simulated model', () => {
  const fixed = {
    summary: { type: 'string' },
    success_eval: { type: 'string', enum: ['success', 'partial', 'failure'] },
    sentiment: { type: 'string', enum: ['positive', 'neutral', 'negative'] },
    lead_intent: { type: 'string', enum: ['complaint', 'support_request', 'callback', 'purchase', 'other'] },
    do_not_call: { type: 'boolean' },
  };

  it('says that it is a simulation', async () => {
    const simulated = expect.stringMatching(/^Simulated analysis: /);
    expect(await filled('User: Hello.', fixed)).toMatchObject({ summary: simulated });
    const message = { role: 'assistant', content: [{ text: simulated }] };
    expect((await post(plain)).body).toMatchObject({ stopReason: 'end_turn', output: { message } });
  });

  it.each([
    ['This is not working, I want a refund.', { lead_intent: 'complaint', sentiment: 'negative', do_not_call: false }],
    ['I need help, how do I log in?', { lead_intent: 'support_request' }],
    ['Please call me back tomorrow.', { lead_intent: 'callback', do_not_call: false }],
    [
      'Great, I want to book it. Thank you.',
      { lead_intent: 'purchase', sentiment: 'positive', success_eval: 'success' },
    ],
    ['Do not call me again.', { do_not_call: true, sentiment: 'negative', success_eval: 'failure' }],
    ['Stop calling me!', { do_not_call: true }],
    ['Hm.\nAI: I will never call you again.', { do_not_call: false, lead_intent: 'other', sentiment: 'neutral' }],
  ])('finds by plain rules: %s', async (words, findings) => {
    expect(await filled(`User: ${words}`, fixed)).toMatchObject(findings);
  });

  it('fills any schema from the transcript', async () => {
    const words = 'User: My city is Navi Mumbai. Budget: 45,000 rupees.\nUser: The heater, and a site visit.';
    const properties = {
      city: { type: 'string' },
      budget: { type: 'integer', maximum: 40_000 },
      appliance: { enum: ['fridge', 'heater'] },
      site_visit: { type: 'boolean' },
      lead: { type: 'object', properties: { city: { type: 'string', maxLength: 4 } } },
      cities: { type: 'array', items: { type: 'string' } },
      appliances: { type: 'array', items: { enum: ['fridge', 'heater'] } },
      email: { type: 'string' },
    };
    expect(await filled(words, properties)).toEqual({
      city: 'Navi Mumbai',
      budget: 40_000,
      appliance: 'heater',
      appliances: ['heater'],
      site_visit: true,
      lead: { city: 'Navi' },
    });
  });

  it('has a value for every required property', async () => {
    const properties = {
      name: { type: 'string', minLength: 20 },
      count: { type: 'integer', minimum: 3 },
      kind: { enum: ['a', 'b'] },
      agreed: { type: 'boolean' },
      days: { type: 'array', items: { type: 'string' }, minItems: 2 },
      note: { type: ['string', 'null'] },
    };
    expect(await filled('User: Hm.', properties, Object.keys(properties))).toEqual({
      name: 'not mentioned.......',
      count: 3,
      kind: 'a',
      agreed: false,
      days: ['not mentioned', 'not mentioned'],
      note: null,
    });
  });

  it('applies a fault to the given transcripts, as often as requested', async () => {
    await control.fault({ kind: 'throttle', whenTranscriptHas: 'marked', skip: 1, times: 2 });
    const statuses = [];
    for (const words of ['other', 'marked', 'marked', 'other', 'marked', 'marked'])
      statuses.push((await post({ messages: [said(words)] })).status);
    expect(statuses).toEqual([200, 200, 429, 200, 429, 200]);
    await control.fault({ kind: 'unavailable', whenTranscriptHas: 'marked', times: null });
    await control.clearFaults('marked');
    expect((await post({ messages: [said('marked')] })).status).toBe(200);
  });
});

describe('the simulated model refuses requests that Bedrock refuses', () => {
  const used = { role: 'assistant', content: [{ toolUse: { toolUseId: 't1', name: 'answer', input: {} } }] };
  const toolResult = { toolUseId: 't1', content: [{ text: 'no' }], status: 'error' };
  const result = { role: 'user', content: [{ toolResult }] };
  const tools = { tools: [tool({ a: {} })] };
  const withSchema = (more: object) => ({ ...plain, toolConfig: { tools: [tool({}, { ...more })] } });

  it('but accepts a tool use with its result', async () => {
    expect((await post({ messages: [said('x'), used, result], toolConfig: tools })).status).toBe(200);
  });

  it.each<[string, unknown]>([
    ['a body that is not JSON', '{'],
    ['no messages', {}],
    ['empty messages', { messages: [] }],
    ['an unknown member', { ...plain, prompt: 'x' }],
    ['an unknown member of a message', { messages: [{ ...said('x'), name: 'x' }] }],
    ['an unknown role', { messages: [{ role: 'system', content: [{ text: 'x' }] }] }],
    ['a blank text', { messages: [{ role: 'user', content: [{ text: ' ' }] }] }],
    ['an assistant first', { messages: [used, result], toolConfig: tools }],
    ['an assistant last', { messages: [said('x'), used], toolConfig: tools }],
    ['two users in turn', { messages: [said('x'), said('y')] }],
    ['a use of a tool without its result', { messages: [said('x'), used, said('y')], toolConfig: tools }],
    ['a result without a tool use', { messages: [result], toolConfig: tools }],
    ['results without tools', { messages: [said('x'), used, result] }],
    ['a choice of an unknown tool', { ...plain, toolConfig: { ...tools, toolChoice: { tool: { name: 'other' } } } }],
    ['a tool twice', { ...plain, toolConfig: { tools: [tool({}), tool({})] } }],
    ['no tools', { ...plain, toolConfig: { tools: [] } }],
    ['a schema of another type than object', withSchema({ type: 'array' })],
    ['members at the top of a schema that Nova does not allow', withSchema({ additionalProperties: false })],
    ['a temperature above 1', { ...plain, inferenceConfig: { temperature: 2 } }],
  ])('%s', async (_, body) => {
    expect(await post(body)).toMatchObject({
      status: 400,
      type: expect.stringMatching(/^ValidationException:/),
      body: { message: expect.any(String) },
    });
  });

  it.each([
    ['unsigned', '', 'MissingAuthenticationTokenException'],
    ['signed for another service', signature('s3'), 'InvalidSignatureException'],
  ])('a request that is %s', async (_, authorization, type) => {
    expect(await post(plain, authorization)).toMatchObject({ status: 403, type: expect.stringMatching(`^${type}`) });
  });
});
