import type { ArmedFault, Fault } from './faults.ts';
import type { SeenRequest } from './state.ts';

/** Directs a running simulator from a test. The address is the control's. */
export function modelControl(url: string) {
  async function ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${url}/_simulator/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    if (!response.ok) throw new Error(`The model simulator refused ${method} ${path}: ${await response.text()}`);
    return (await response.json()) as Answer;
  }
  const query = (name: string, text?: string) => (text === undefined ? '' : `?${name}=${encodeURIComponent(text)}`);

  return {
    async fault(fault: Fault): Promise<void> {
      await ask('POST', 'faults', fault);
    },
    async faults(): Promise<ArmedFault[]> {
      return (await ask<{ faults: ArmedFault[] }>('GET', 'faults')).faults;
    },
    /** All, or those for transcripts with this text. */
    async clearFaults(whenTranscriptHas?: string): Promise<void> {
      await ask('DELETE', `faults${query('whenTranscriptHas', whenTranscriptHas)}`);
    },
    /** Oldest first: all, or those whose transcript holds this text. */
    async requests(transcriptHas?: string): Promise<SeenRequest[]> {
      return (await ask<{ requests: SeenRequest[] }>('GET', `requests${query('transcriptHas', transcriptHas)}`))
        .requests;
    },
    /** Forgets faults and requests. */
    async reset(): Promise<void> {
      await ask('POST', 'reset');
    },
  };
}
