/* The languages that the vendor's OpenAPI allows. */

/** VapiVoice.language. */
export const voiceLanguages: readonly string[] =
  `en-US en-GB en-AU en-CA ja zh de hi fr-FR fr-CA ko pt-BR pt-PT it es-ES es-MX id nl tr fil pl sv bg ro ar-SA
  ar-AE cs el fi hr ms sk da ta uk ru hu no vi auto en ar ar-EG bn es fr gu he ka kn ml mr pa pt te th tl`.split(/\s+/);

/** DeepgramTranscriber.language. Not every model has all of them. */
export const deepgramLanguages: readonly string[] =
  `ar az ba be bg bn br bs ca cs da da-DK de de-CH el en en-AU en-CA en-GB en-IE en-IN en-NZ en-US es es-419
  es-LATAM et eu fa fi fr fr-CA ha haw he hi hi-Latn hr hu id is it ja jw kn ko ko-KR ln lt lv mk mr ms multi nl
  nl-BE no pl pt pt-BR pt-PT ro ru sk sl sn so sr su sv sv-SE ta taq te th th-TH tl tr tt uk ur vi yo zh zh-CN
  zh-HK zh-Hans zh-Hant zh-TW`.split(/\s+/);

/** VapiTranscriber.language. */
export const vapiTranscriberLanguages: readonly string[] =
  `aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el
  en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu
  ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na
  nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so
  sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yue yo za zh
  zu`.split(/\s+/);
