/** The meanings of a state's colours. */
export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'info';
