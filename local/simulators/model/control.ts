import { controlClient, withQuery } from '../kit/control-client.ts';
import type { Armed } from '../kit/faults.ts';
import type { Fault } from './faults.ts';
import type { SeenRequest } from './state.ts';

/** Controls a running model. @param url of its control routes. */
export function modelControl(url: string) {
  const request = controlClient('model', url);

  return {
    async fault(fault: Fault): Promise<void> {
      await request('POST', 'faults', fault);
    },
    async faults(): Promise<Armed<Fault>[]> {
      return (await request<{ faults: Armed<Fault>[] }>('GET', 'faults')).faults;
    },
    /** Removes all faults, or those for transcripts with this text. */
    async clearFaults(whenTranscriptHas?: string): Promise<void> {
      await request('DELETE', withQuery('faults', { whenTranscriptHas }));
    },
    /** Returns the requests, or those whose transcript contains this text, oldest first. */
    async requests(transcriptHas?: string): Promise<SeenRequest[]> {
      return (await request<{ requests: SeenRequest[] }>('GET', withQuery('requests', { transcriptHas }))).requests;
    },
    /** Forgets faults and requests. */
    async reset(): Promise<void> {
      await request('POST', 'reset');
    },
  };
}
