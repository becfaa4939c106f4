import {
  type AssistantPatch,
  type AssistantView,
  type ShownAssistant,
  showAssistant,
  updateAssistant,
} from '../../../shared/messages/dashboard/assistants.ts';
import { call } from '../../app/browser-session.ts';
import { queryClient } from '../../app/query.ts';
import { useDraft } from '../../parts/draft.ts';
import { toast } from '../../parts/toasts.ts';
import { assistantQuery, refreshAssistant } from './assistant-query.ts';
import { changeOf, type DefinitionValues, definitionForm, valuesOf } from './definition-form.ts';

/** Somebody else saved another definition than the one that the person began with. */
export type LateEdit = {
  /** What is stored now. */
  theirs: ShownAssistant;
  /** The members that were changed meanwhile, each with the last person who did. */
  changed: readonly { path: string; message: string }[];
  /** What the person wanted to change. */
  mine: Omit<AssistantPatch, 'revision'>;
};

/** The form of a definition: it sends only what the person changed, with the revision that the person began with. */
export function useDefinition(assistant: ShownAssistant) {
  const id = assistant.assistant_id;
  const { state, conflict, begin, saveOver } = useDraft<AssistantView, DefinitionValues, LateEdit>(assistant, {
    schemaOf: () => definitionForm,
    valuesOf,
    async save(values, base) {
      const { revision } = base;
      const saved = await call(updateAssistant, { params: { id }, body: { revision, ...changeOf(base, values) } });
      queryClient.setQueryData(assistantQuery(id).queryKey, { ...assistant, ...saved });
      void refreshAssistant(id);
      toast(`${saved.name} is saved.`);
      return saved;
    },
    async late({ fields }, values, base) {
      const theirs = await call(showAssistant, { params: { id } });
      return { theirs, changed: fields, mine: changeOf(base, values) };
    },
  });
  return {
    state,
    conflict,
    /** Saves the person's own changes over the others'; members that the person left alone stay as the others saved. */
    overwrite: () => conflict && saveOver(conflict.theirs.revision),
    reload: () => conflict && begin(conflict.theirs),
    discard: () => begin(conflict?.theirs ?? assistant),
  };
}
