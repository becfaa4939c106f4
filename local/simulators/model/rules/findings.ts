/** The findings of plain rules in a transcript, without any understanding of it. */
export type Findings = {
  summary: string;
  success_eval: 'success' | 'partial' | 'failure';
  sentiment: 'positive' | 'neutral' | 'negative';
  lead_intent: string;
  issue_summary: string;
  do_not_call: boolean;
};

const MAX_QUOTED = 200;

const NEVER_AGAIN =
  /\b(do not|don'?t|never) (ever )?(call|phone|ring|contact) ((me|us|this number) )?(again|any ?more|ever)\b|\bstop (calling|phoning)\b|\b(remove|take) (me|us|my number) (off|from)\b/i;
/** In the order of preference. */
const INTENTS: readonly (readonly [string, RegExp])[] = [
  ['wrong_number', /\bwrong (number|person)\b/i],
  ['complaint', /\b(complain\w*|refund\w*|not working|does ?n.t work|broken|damaged|defective|unacceptable)\b/i],
  ['support_request', /\b(support|help me|need help|problem|issue|error|how do i|can ?not log ?in|can't log ?in)\b/i],
  ['callback', /\b(call|phone|ring) (me |us )?(back|later|tomorrow)\b|\bcall ?back\b/i],
  ['not_interested', /\bnot interested\b|\bno,? thank/i],
  ['purchase', /\b(buy|order|book|sign up|interested|quote)\b/i],
  ['information', /\b(price|cost|how much|details|information|brochure|what is|when is)\b/i],
];
const NEGATIVE =
  /\b(angry|upset|terrible|awful|worst|bad|disappointed|frustrat\w+|complain\w*|refund|not working|broken|unacceptable|stop calling|not interested)\b/gi;
const POSITIVE = /\b(thanks?|thank you|great|good|perfect|happy|wonderful|excellent|love|lovely|nice|yes|sure)\b/gi;

const times = (text: string, words: RegExp): number => text.match(words)?.length ?? 0;

/** The lines of the person; all lines if none names a speaker. */
function linesOfPerson(transcript: string): string {
  const said = transcript
    .split('\n')
    .flatMap((line) => /^\s*(?:user|customer|caller|person|lead)\s*:(.*)/i.exec(line)?.[1]?.trimStart() ?? []);
  return said.length > 0 ? said.join('\n') : transcript;
}

/** Applies the rules. @param criteria for a success, the transcript must contain all their words in double quotes */
export function findingsIn(transcript: string, criteria: string): Findings {
  const said = linesOfPerson(transcript);
  const doNotCall = NEVER_AGAIN.test(said);
  const intent = INTENTS.find(([, words]) => words.test(said))?.[0] ?? (doNotCall ? 'not_interested' : 'other');
  const mood = times(said, POSITIVE) - times(said, NEGATIVE);
  const sentiment = doNotCall || mood < 0 ? 'negative' : mood > 0 ? 'positive' : 'neutral';
  const line =
    said.split('\n').find((each) => INTENTS.some(([, words]) => words.test(each))) ?? said.split('\n')[0] ?? '';
  const lines = transcript.split('\n').filter((each) => each.trim() !== '').length;
  return {
    summary: `Simulated analysis: ${lines} lines by plain rules, ${intent}. The person said: “${line.trim().slice(0, MAX_QUOTED)}”`,
    success_eval:
      judged(transcript, criteria) ??
      ({ positive: 'success', neutral: 'partial', negative: 'failure' }[sentiment] as Findings['success_eval']),
    sentiment,
    lead_intent: intent,
    issue_summary: `Simulated: ${line.trim().slice(0, MAX_QUOTED)}`,
    do_not_call: doNotCall,
  };
}

function judged(transcript: string, criteria: string): Findings['success_eval'] | undefined {
  const wanted = [...criteria.matchAll(/"([^"]+)"/g)].map(([, words = '']) => words.toLowerCase());
  if (wanted.length === 0) return undefined;
  const met = wanted.filter((words) => transcript.toLowerCase().includes(words)).length;
  if (met === wanted.length) return 'success';
  return met > 0 ? 'partial' : 'failure';
}
