import type { Write } from '../../../stores/dynamodb/transaction.ts';
import type { AssistantStore } from '../../../stores/organizations/assistants.ts';

export type CheckAssistantDeps = {
  assistants: Pick<AssistantStore, 'get'> & {
    /** Undefined if the caller never gives an assistant. */
    existing: (...assistant: Parameters<AssistantStore['existing']>) => Write | undefined;
  };
};

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

/**
 * Returns the check that the assistant exists. It belongs in the transaction that gives the connection its assistant,
 * because the assistant may be deleted at the same moment (delete-assistant.ts).
 */
export const requiringAssistant = (
  { assistants }: CheckAssistantDeps,
  org_id: string,
  assistant_id: string | null | undefined,
): Write | undefined => (assistant_id ? assistants.existing({ assistant_id, org_id }) : undefined);
