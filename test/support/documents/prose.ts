import { createHash } from 'node:crypto';

const WORDS =
  'the flat has three rooms and a kitchen with a view of garden price monthly rent agreement visit sunday owner broker parking lift water school metro station floor tower booking loan tax possession carpet area balcony'.split(
    ' ',
  );

/** Returns pseudo-random words. @param seed selects the text */
export function prose(words: number, seed = ''): string {
  const chosen: string[] = [];
  for (let block = 0; chosen.length < words; block += 1)
    for (const byte of createHash('sha512').update(`${seed} ${block}`).digest())
      chosen.push(WORDS[byte % WORDS.length] as string);
  return chosen.slice(0, words).join(' ');
}

/** Returns pseudo-random words that hardly compress. @param seed selects the text */
export function noise(words: number, seed = ''): string {
  const chosen: string[] = [];
  for (let block = 0; chosen.length < words; block += 1)
    chosen.push(...(createHash('sha512').update(`${seed} ${block}`).digest('base64url').match(/.{8}/g) ?? []));
  return chosen.slice(0, words).join(' ');
}
