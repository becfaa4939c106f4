import type { Assistant } from '../create-call.ts';
import type { Line } from '../model.ts';
import type { DialedScript, PhoneBehaviour } from '../scripts.ts';

type Said = { role: 'bot' | 'user'; message: string };

/** Returns the lines of a call, without times. */
export function dialogue(script: DialedScript, behaviour: PhoneBehaviour, assistant: Assistant): Said[] {
  if (script.transcript) return script.transcript;
  const opening = assistant.firstMessage ?? 'Hello, this is a call about your enquiry. Is this a good time?';
  if (behaviour === 'voicemail') {
    const left = assistant.voicemailMessage;
    return [
      { role: 'user', message: 'The person you have called is not available. Please record your message at the tone.' },
      ...(left ? [{ role: 'bot' as const, message: left }] : []),
    ];
  }
  const ending: Said[] =
    behaviour === 'transfer'
      ? [
          { role: 'user', message: 'I would rather talk to a person.' },
          { role: 'bot', message: 'Of course, I am transferring you now.' },
        ]
      : [
          { role: 'user', message: 'Tomorrow morning would suit me.' },
          { role: 'bot', message: assistant.endCallMessage ?? 'Thank you, we will call you then. Goodbye.' },
        ];
  return [
    { role: 'bot', message: opening },
    { role: 'user', message: 'Yes, I asked about it yesterday.' },
    { role: 'bot', message: 'Great. When may a colleague show it to you?' },
    ...ending,
  ];
}

/** Spreads the lines evenly over the talk. The system prompt is first, as in the vendor's artifacts. */
export function timedLines(said: Said[], assistant: Assistant, startedAtMs: number, talkSeconds: number): Line[] {
  const share = talkSeconds / Math.max(said.length, 1);
  const prompt = assistant.model?.messages?.find((message) => message.role === 'system')?.content;
  const system: Line[] = prompt ? [{ role: 'system', message: prompt, time: startedAtMs, secondsFromStart: 0 }] : [];
  return [
    ...system,
    ...said.map((line, index) => ({
      ...line,
      time: Math.round(startedAtMs + 1000 * share * index),
      endTime: Math.round(startedAtMs + 1000 * share * (index + 0.9)),
      secondsFromStart: Number((share * index).toFixed(3)),
      duration: Number((share * 0.9).toFixed(3)),
    })),
  ];
}

/** Builds the flat transcript that the vendor derives from the messages. */
export function flatTranscript(lines: Line[]): string {
  return lines
    .filter((line) => line.role !== 'system')
    .map((line) => `${line.role === 'bot' ? 'AI' : 'User'}: ${line.message}\n`)
    .join('');
}

/** Returns the messages in OpenAI's form. */
export function openAiMessages(lines: Line[]): { role: string; content: string }[] {
  return lines.map(({ role, message }) => ({ role: role === 'bot' ? 'assistant' : role, content: message }));
}
