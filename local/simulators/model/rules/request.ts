import * as z from 'zod';
import { problems } from './problems.ts';

const textSchema = z.strictObject({ text: z.string() });
const jsonObject = z.record(z.string(), z.unknown());
const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const toolUseSchema = z.strictObject({ toolUse: z.strictObject({ toolUseId: name, name, input: z.json() }) });
const toolResultSchema = z.strictObject({
  toolResult: z.strictObject({
    toolUseId: name,
    content: z.array(z.union([textSchema, z.strictObject({ json: z.json() })])),
    status: z.enum(['success', 'error']).optional(),
  }),
});
const messageSchema = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.array(z.union([textSchema, toolUseSchema, toolResultSchema])).min(1),
});
/** The simulated part of Converse; anything else is refused (Amazon Bedrock API reference, "Converse"). */
const bodySchema = z.strictObject({
  messages: z.array(messageSchema).min(1),
  system: z.array(textSchema).optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string().min(1)).max(2_500).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({
      tools: z
        .array(
          z.strictObject({
            toolSpec: z.strictObject({
              name,
              description: z.string().min(1).optional(),
              inputSchema: z.strictObject({ json: jsonObject }),
            }),
          }),
        )
        .min(1),
      toolChoice: z
        .union([
          z.strictObject({ auto: z.strictObject({}) }),
          z.strictObject({ any: z.strictObject({}) }),
          z.strictObject({ tool: z.strictObject({ name }) }),
        ])
        .optional(),
    })
    .optional(),
});

export type ConverseBody = z.infer<typeof bodySchema>;
type ConverseMessage = z.infer<typeof messageSchema>;
export type ToolSpec = NonNullable<ConverseBody['toolConfig']>['tools'][number]['toolSpec'];

/** The form of the ids of foundation models and inference profiles. */
const MODEL_ID =
  /^((us|us-gov|eu|apac|jp|au|ca|global)\.)?(ai21|amazon|anthropic|cohere|deepseek|meta|mistral|openai|qwen)\.[a-z0-9][a-z0-9.-]*(:\d+)?$/;

/** The members that Nova allows at the top of a tool's schema (Amazon Nova guide, "Defining a tool"). */
const TOP_MEMBERS = ['type', 'properties', 'required'];

/** @throws Problem if the vendor would refuse the request */
export function readRequest(modelId: string, text: string): ConverseBody {
  if (!MODEL_ID.test(modelId)) throw problems.validation('The provided model identifier is invalid.');
  const parsed = bodySchema.safeParse(parse(text));
  if (!parsed.success) throw problems.validation(`Malformed input request: ${z.prettifyError(parsed.error)}`);
  const body = parsed.data;
  checkTurns(body.messages);
  checkTools(body, modelId);
  return body;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw problems.validation('The request body is not valid JSON.');
  }
}

function checkTurns(messages: readonly ConverseMessage[]): void {
  if (messages[0]?.role !== 'user')
    throw problems.validation(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    );
  messages.forEach(({ role, content }, index) => {
    if (role === messages[index + 1]?.role)
      throw problems.validation(
        'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
      );
    content.forEach((block, at) => {
      if ('text' in block && block.text.trim() === '')
        throw problems.validation(
          `The text field in the ContentBlock object at messages.${index}.content.${at} is blank. Add text to the text field, and try again.`,
        );
    });
    const used = idsOf(content, 'toolUse');
    const before = messages[index - 1];
    const results = idsOf(content, 'toolResult');
    const asked = before?.role === 'assistant' ? idsOf(before.content, 'toolUse') : [];
    if (asked.some((id) => !results.includes(id)))
      throw problems.validation(
        `Expected toolResult blocks at messages.${index}.content for the following Ids: ${asked.join(', ')}`,
      );
    if (results.some((id) => !asked.includes(id)))
      throw problems.validation(
        `The number of toolResult blocks at messages.${index}.content exceeds the number of toolUse blocks of previous turn.`,
      );
    if (used.length > 0 && role !== 'assistant')
      throw problems.validation(`The toolUse block at messages.${index}.content is not supported for the role user.`);
    if (role === 'assistant' && index === messages.length - 1)
      throw problems.validation(
        'This model does not support assistant message prefill. The conversation must end with a user message.',
      );
  });
}

const idsOf = (content: ConverseMessage['content'], kind: 'toolUse' | 'toolResult'): string[] =>
  content.flatMap((block) => {
    if (kind === 'toolUse' && 'toolUse' in block) return [block.toolUse.toolUseId];
    if (kind === 'toolResult' && 'toolResult' in block) return [block.toolResult.toolUseId];
    return [];
  });

function checkTools({ toolConfig, messages }: ConverseBody, modelId: string): void {
  const hasToolBlocks = messages.some(({ content }) => content.some((block) => !('text' in block)));
  if (!toolConfig) {
    if (hasToolBlocks)
      throw problems.validation(
        'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
      );
    return;
  }
  const names = toolConfig.tools.map(({ toolSpec }) => toolSpec.name);
  if (new Set(names).size < names.length) throw problems.validation('The toolConfig has duplicate tool names.');
  toolConfig.tools.forEach(({ toolSpec }, index) => {
    const where = `toolConfig.tools.${index}.toolSpec.inputSchema.json`;
    const schema = toolSpec.inputSchema.json;
    if (schema.type !== 'object')
      throw problems.validation(`The value at ${where}.type must be one of the following: object.`);
    const strange = Object.keys(schema).filter((key) => !TOP_MEMBERS.includes(key));
    if (modelId.includes('amazon.nova') && strange.length > 0)
      throw problems.validation(
        `Malformed input request: #/${where}: extraneous key [${strange[0]}] is not permitted, please reformat your input and try again.`,
      );
  });
  const choice = toolConfig.toolChoice;
  if (choice && 'tool' in choice && !names.includes(choice.tool.name))
    throw problems.validation(`The toolChoice names the tool ${choice.tool.name}, which is not among the tools.`);
}
