import type { Assistant } from '../create-call.ts';
import type { CostBreakdown, CostItem } from '../model.ts';

/** US dollars per minute: invented, but close to the vendor's list prices. */
const perMinute = { transport: 0.014, stt: 0.0101, llm: 0.0207, tts: 0.0217, vapi: 0.05 };

const dollars = (amount: number) => Number(amount.toFixed(4));

/** Computes the price of a call as the sum of its parts. A fixed total is the platform's own part. */
export function callCosts(
  seconds: number,
  transcript: string,
  assistant: Assistant,
  fixed?: number,
): { cost: number; costs: CostItem[]; costBreakdown: CostBreakdown } {
  const minutes = Number((seconds / 60).toFixed(4));
  const price = (part: keyof typeof perMinute) => (fixed === undefined ? dollars(minutes * perMinute[part]) : 0);
  const parts = {
    transport: price('transport'),
    stt: price('stt'),
    llm: price('llm'),
    tts: price('tts'),
    vapi: fixed ?? price('vapi'),
  };
  const cost = dollars(Object.values(parts).reduce((sum, part) => sum + part, 0));
  const usage = { llmPromptTokens: Math.round(seconds * 40), llmCompletionTokens: Math.round(transcript.length / 4) };
  const { transcriber, model, voice } = assistant;
  return {
    cost,
    costs: [
      { type: 'transport', provider: 'twilio', minutes, cost: parts.transport },
      { type: 'transcriber', transcriber: { provider: transcriber?.provider }, minutes, cost: parts.stt },
      {
        type: 'model',
        model: { provider: model?.provider, model: model?.model },
        promptTokens: usage.llmPromptTokens,
        completionTokens: usage.llmCompletionTokens,
        cost: parts.llm,
      },
      {
        type: 'voice',
        voice: { provider: voice?.provider },
        characters: transcript.length,
        cost: parts.tts,
      },
      { type: 'vapi', subType: 'normal', minutes, cost: parts.vapi },
    ],
    costBreakdown: { ...parts, total: cost, ...usage, ttsCharacters: transcript.length },
  };
}
