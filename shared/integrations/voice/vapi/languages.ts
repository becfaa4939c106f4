/**
 * The languages of Deepgram's model nova-3 at Vapi (Vapi docs, "Deepgram", supported languages). It lacks Gujarati,
 * Malayalam and Punjabi.
 */
const nova3: ReadonlySet<string> = new Set(
  `ar bn be bs bg ca zh zh-CN zh-HK zh-Hans zh-TW zh-Hant hr cs da da-DK nl nl-BE en en-AU en-IN en-NZ en-GB
   en-US et tl fi fr fr-CA de de-CH el he hi hu id it ja kn ko ko-KR lv lt mk ms mr multi no fa pl pt pt-BR pt-PT
   ro ru sr sk sl es es-419 sv sv-SE ta te th th-TH tr uk ur vi`.split(/\s+/),
);

/** The languages of Vapi's own voices (Vapi OpenAPI, VapiVoice.language). */
const ofVoices: ReadonlySet<string> = new Set(
  `en-US en-GB en-AU en-CA ja zh de hi fr-FR fr-CA ko pt-BR pt-PT it es-ES es-MX id nl tr fil pl sv bg ro ar-SA
   ar-AE cs el fi hr ms sk da ta uk ru hu no vi auto en ar ar-EG bn es fr gu he ka kn ml mr pa pt te th tl`.split(
    /\s+/,
  ),
);

/** The language without its region: `hi` of `hi-IN`. */
const withoutRegion = (language: string): string => language.split('-')[0]?.toLowerCase() ?? language;

/** Returns the first of a language and the language without its region that a set has. */
const spelledIn = (known: ReadonlySet<string>, language: string): string | undefined =>
  [language, withoutRegion(language)].find((code) => known.has(code));

/**
 * Returns the transcriber of a language. Vapi refuses a call whose transcriber does not have the language.
 * @param language as a person wrote it; undefined for any
 */
export function transcriberOf(language: string | undefined): Record<string, string> {
  const known = spelledIn(nova3, language ?? 'multi');
  if (known) return { provider: 'deepgram', model: 'nova-3', language: known };
  return { provider: 'vapi', language: withoutRegion(language ?? '') };
}

/** Returns the language of a voice. Vapi's voices may detect a language that they do not name. */
export const voiceLanguageOf = (language: string): string => spelledIn(ofVoices, language) ?? 'auto';
