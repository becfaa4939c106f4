import {
  type AssistantPatch,
  type AssistantView,
  type ShownAssistant,
  showAssistant,
  updateAssistant,
} from '../../../shared/messages/dashboard/assistants.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { useDraft } from '../../components/form/use-draft.ts';
import { toast } from '../../components/message/toasts.ts';
import { assistantQuery, refreshAssistant } from './assistant-query.ts';
import { changeOf, type DefinitionValues, definitionForm, valuesOf } from './definition-form.ts';

/** Another person saved the definition after this person began to edit it. */
export type EditConflict = {
  /** The definition now stored. */
  theirs: AssistantView;
  /** The members that others changed since, each with the last editor. */
  changed: readonly { path: string; message: string }[];
  /** The person's own changes. */
  mine: Omit<AssistantPatch, 'revision'>;
  /** The definition that the person began to edit. */
  base: AssistantView;
};

/** Keeps the form of a definition. It sends only the person's changes, with the revision that they are based on. */
export function useDefinition(assistant: ShownAssistant) {
  const id = assistant.assistant_id;
  const { state, conflict, reset, overwrite } = useDraft<AssistantView, DefinitionValues, EditConflict>(assistant, {
    schemaOf: () => definitionForm,
    valuesOf,
    async save(values, base) {
      const { revision } = base;
      const saved = await callApi(updateAssistant, { params: { id }, body: { revision, ...changeOf(base, values) } });
      queryClient.setQueryData(assistantQuery(id).queryKey, { ...assistant, ...saved });
      void refreshAssistant(id);
      toast(`${saved.name} is saved.`);
      return saved;
    },
    isChange: (values, saved) => Object.keys(changeOf(saved, values)).length > 0,
    async readStored() {
      const saved = await callApi(showAssistant, { params: { id } });
      queryClient.setQueryData(assistantQuery(id).queryKey, saved);
      return saved;
    },
    conflictOf: (theirs, { error, values, base }) => ({
      theirs,
      changed: error.fields,
      mine: changeOf(base, values),
      base,
    }),
  });
  return {
    state,
    conflict,
    /** Saves the person's own changes over others'; members that the person did not edit stay as others saved them. */
    overwrite: () => conflict && overwrite(conflict.theirs.revision),
    reload: () => conflict && reset(conflict.theirs),
    discard: () => reset(conflict?.theirs ?? assistant),
  };
}
