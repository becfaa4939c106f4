import type { AssistantStore } from '../../../stores/organizations/assistants.ts';

export type CheckAssistantDeps = { assistants: Pick<AssistantStore, 'get'> };

export type NoSuchAssistant = { kind: 'assistant_not_found' | 'assistant_wrong_org' };

/** Returns why an assistant cannot conduct the calls of an organization; undefined if it can, or if none is given. */
export async function checkAssistant(
  { assistants }: CheckAssistantDeps,
  orgId: string,
  assistantId: string | null | undefined,
): Promise<NoSuchAssistant | undefined> {
  if (assistantId === null || assistantId === undefined) return undefined;
  const assistant = await assistants.get(assistantId);
  if (!assistant) return { kind: 'assistant_not_found' };
  return assistant.org_id === orgId ? undefined : { kind: 'assistant_wrong_org' };
}
