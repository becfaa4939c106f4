import type { CreateCall } from '../../../local/simulators/voice/create-call.ts';
import { defaultApiKey } from '../../../local/simulators/voice/server.ts';
import { environment } from '../stack/stack.ts';

/**
 * Requests a call from the voice platform without the service, as another client of the same account does. With the
 * body of the service's own request, it is the second call of a double dial.
 * @returns its id
 */
export async function callAtPlatform(body: CreateCall): Promise<string> {
  const answer = await fetch(`${environment.simulators.voice}/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${defaultApiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(`the voice simulator answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

/** Removes the address of the webhook, so that the platform does not report the call to the service. */
export const withoutReports = ({ assistant = {}, ...body }: CreateCall): CreateCall => {
  const { server: _, ...silent } = assistant;
  return { ...body, assistant: silent };
};
