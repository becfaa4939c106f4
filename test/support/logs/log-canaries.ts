import { newLead } from '../../../local/simulators/crm-a/payloads.ts';
import type { Assistant } from '../../../local/simulators/voice/create-call.ts';
import { dialogue } from '../../../local/simulators/voice/rules/conversation.ts';

/** A text that no log line may contain. @param what names it without revealing it */
type Canary = { what: string; pattern: RegExp };

/** A line of a log and the kinds of text that it reveals, which are masked. */
export type Revealed = { what: string; line: string };

/** Enough leads to use each name of the simulator. */
const LEADS = 200;
const SHORTEST_SECRET = 8;
const MAX_CHARACTERS = 300;

const oneOf = (texts: readonly string[]) => texts.map(RegExp.escape).join('|');

const leads = Array.from({ length: LEADS }, (_, number) => newLead({ number, owner: '', at: new Date(0) }));
const leadNames = new Set(leads.flatMap(({ FirstName, LastName }) => [FirstName ?? [], LastName ?? []].flat()));
const spoken = new Set(
  (['answer', 'voicemail', 'transfer'] as const).flatMap((kind) =>
    dialogue({ behaviour: 'answer' }, kind, {} as Assistant).map(({ message }) => message),
  ),
);

/** Forms of the service's and the simulators' values, and values planted by the simulators. */
const known: readonly Canary[] = [
  // The last digits of a UUID, such as a request's id, are not a phone number.
  {
    what: 'a phone number',
    pattern: /\+\d{8,15}(?!\d)|(?<![\w.]|[\da-f]{8}(?:-[\da-f]{4}){3}-)91(?:97|98)\d{8}(?!\w)/g,
  },
  { what: 'an e-mail address', pattern: /(?<![\w.+-])[\w.+-]{1,64}@[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z]{2,}/gi },
  { what: 'an API key', pattern: /svc_live_[a-z\d]+_[\w-]{20,}/g },
  { what: 'a token of a connection', pattern: /(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{43}(?![\w-])/g },
  { what: 'an OAuth token', pattern: /1000\.[\da-f]{32}\.[\da-f]{32}/g },
  { what: 'a token of the user pool', pattern: /eyJ[\w-]+\.eyJ[\w-]+/g },
  { what: 'a signed address', pattern: /X-Amz-Signature=/g },
  { what: "a lead's name", pattern: new RegExp(`(?<!\\w)(?:${oneOf([...leadNames])})(?!\\w)`, 'g') },
  { what: 'what was said in a call', pattern: new RegExp(oneOf([...spoken]), 'g') },
];

/** Lists the texts inside a secret's value, which is text or JSON, without those under 8 characters. */
export function textsOf(secret: string): string[] {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) collect(part);
  };
  try {
    collect(JSON.parse(secret));
  } catch {
    texts.push(secret);
  }
  return texts.filter((text) => text.length >= SHORTEST_SECRET);
}

/**
 * Finds lines that reveal a person or a secret.
 * @param secrets values that only this run has
 */
export function revealedIn(log: string, secrets: readonly string[]): Revealed[] {
  const canaries = [
    ...known,
    ...(secrets.length > 0 ? [{ what: 'a secret', pattern: new RegExp(oneOf(secrets), 'g') }] : []),
  ];
  // Most logs reveal nothing, so each log is first searched as a whole.
  const found = canaries.filter(({ pattern }) => log.search(pattern) >= 0);
  const masked = (line: string) => found.reduce((text, { pattern }) => text.replaceAll(pattern, '***'), line);
  return found.flatMap(({ what, pattern }) =>
    log
      .split('\n')
      .filter((line) => line.search(pattern) >= 0)
      .map((line) => ({ what, line: masked(line).slice(0, MAX_CHARACTERS) })),
  );
}
