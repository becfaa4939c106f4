/** What a state's colour says. */
export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'info';
