import { synthesize } from '../synthesize.ts';
import { OPTIONS } from './prod.ts';

/** The stage of `npm start`, with the options of the other one. */
export const local = synthesize('local', {
  voiceApiUrl: 'http://127.0.0.1:9001',
  publicUrl: 'http://127.0.0.1:8080',
  modelApiUrl: 'http://127.0.0.1:9002',
  ...OPTIONS,
});
