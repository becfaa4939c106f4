export type Line = { who: string; text: string };

const SPEAKER = /^([\p{L}][\p{L}\p{M} .'-]{0,40}):\s(.*)$/u;

/** Splits a plain transcript into speakers and lines. A line without a name continues the previous one. */
export function parseTranscript(transcript: string): Line[] {
  const lines: Line[] = [];
  for (const raw of transcript.split('\n')) {
    const [, who, text] = SPEAKER.exec(raw.trim()) ?? [];
    const last = lines.at(-1);
    if (who !== undefined && text !== undefined) lines.push({ who, text: text.trimStart() });
    else if (raw.trim() === '') continue;
    else if (last) last.text += `\n${raw.trim()}`;
    else lines.push({ who: '', text: raw.trim() });
  }
  return lines;
}
