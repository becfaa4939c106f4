import { useEffect, useState } from 'react';
import {
  type AssistantPatch,
  type AssistantView,
  type ShownAssistant,
  showAssistant,
  updateAssistant,
} from '../../../shared/messages/dashboard/assistants.ts';
import { ApiError } from '../../app/api-error.ts';
import { call } from '../../app/browser-session.ts';
import { queryClient } from '../../app/query.ts';
import { useApiForm } from '../../parts/form-state.ts';
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
  const [base, setBase] = useState<AssistantView>(assistant);
  const [conflict, setConflict] = useState<LateEdit>();

  const begin = (next: AssistantView) => {
    setBase(next);
    setConflict(undefined);
    state.form.reset(valuesOf(next));
  };
  const save = async (values: DefinitionValues, from: AssistantView, revision = from.revision) => {
    const mine = changeOf(from, values);
    try {
      const saved = await call(updateAssistant, { params: { id }, body: { revision, ...mine } });
      queryClient.setQueryData(assistantQuery(id).queryKey, { ...assistant, ...saved });
      begin(saved);
      toast(`${saved.name} is saved.`);
      await refreshAssistant(id);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'changed_meanwhile') throw error;
      const theirs = await call(showAssistant, { params: { id } });
      setConflict({ theirs, changed: error.fields, mine });
    }
  };
  const state = useApiForm<DefinitionValues>(definitionForm, valuesOf(assistant), (values) =>
    save(values, base, conflict?.theirs.revision),
  );

  const { isDirty } = state.form.formState;
  // Without changes of one's own, the newest definition is shown. With them, only the person decides.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new revision counts.
  useEffect(() => {
    if (!isDirty && assistant.revision > base.revision) begin(assistant);
  }, [assistant.revision]);

  return {
    state,
    conflict,
    /** Saves the person's own changes over the others'; members that the person left alone stay as the others saved. */
    overwrite: () => state.onSubmit(),
    reload: () => conflict && begin(conflict.theirs),
    discard: () => begin(conflict?.theirs ?? assistant),
  };
}
