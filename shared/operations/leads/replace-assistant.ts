import { type Call, isWaiting } from '../../domain/calls/call.ts';
import type { ConnectionStore } from '../../stores/connections/connections.ts';
import type { AssistantStore } from '../../stores/organizations/assistants.ts';
import { type ChangeTermsDeps, changeTerms } from './steps/change-terms.ts';

export type ReplaceAssistantDeps = ChangeTermsDeps & {
  connections: Pick<ConnectionStore, 'get'>;
  assistants: Pick<AssistantStore, 'get'>;
};

/**
 * Gives a waiting call of a lead its connection's current assistant, because its own was deleted, and restarts its dial
 * (docs/leads.md, "Before the phone rings").
 * @returns why the call is not dialed now; undefined if the connection has no other assistant
 */
export async function replaceAssistant(deps: ReplaceAssistantDeps, call: Call): Promise<string | undefined> {
  if (!call.lead || !isWaiting(call)) return undefined;
  const { assistant_id } = (await deps.connections.get(call.lead.connection_id)) ?? {};
  const assistant =
    assistant_id === undefined || assistant_id === call.assistant_id
      ? undefined
      : await deps.assistants.get(assistant_id);
  if (assistant?.org_id !== call.org_id) return undefined;
  const { name: assistant_name, max_duration_seconds } = assistant;
  const { committed } = await changeTerms(deps, call, {
    assistant_id: assistant.assistant_id,
    assistant_name,
    max_duration_seconds,
  });
  return committed ? 'assistant_replaced' : 'not_waiting';
}
