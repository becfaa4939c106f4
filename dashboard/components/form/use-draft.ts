import { useEffect, useRef, useState } from 'react';
import type { DefaultValues, FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import type * as z from 'zod/mini';
import { ApiError } from '../../app/api/api-error.ts';
import { toast } from '../message/toasts.ts';
import { useApiForm } from './use-api-form.ts';

/** The data that a form changes; each save increments its revision. */
type Versioned = { revision: number };

/**
 * Decides what a form does with newly read data. Typed text is never lost to a refresh: only the person can discard it.
 * @param base the form's starting point. @param stored the last read
 * @returns `reset`: the fields take the values of the last read; `update`: the fields stay, and only data without a
 * field, such as a consent, is updated; `keep`: nothing changes
 */
export function decideOnRefetch(base: Versioned, stored: Versioned, isDirty: boolean): 'reset' | 'update' | 'keep' {
  if (stored.revision > base.revision) return isDirty ? 'keep' : 'reset';
  return stored.revision === base.revision && stored !== base ? 'update' : 'keep';
}

/** Applies a person's changes on top of what another person has stored since. */
export function rebase<Values extends FieldValues>(before: Values, theirs: Values, mine: Values): Values {
  const changed = Object.keys(theirs).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(mine[name]));
  return { ...theirs, ...Object.fromEntries(changed.map((name) => [name, mine[name]])) };
}

/** Starts a form from stored values. @param mine the person's changes on top of them, which are not saved yet */
export function resetForm<Values extends FieldValues>(
  form: UseFormReturn<Values, unknown, Values>,
  stored: Values,
  mine: Values = stored,
): void {
  form.reset(stored);
  for (const [name, value] of Object.entries(mine))
    form.setValue(name as Path<Values>, value as PathValue<Values, Path<Values>>, { shouldDirty: true });
}

type Draft<Item extends Versioned, Values extends FieldValues, Conflict> = {
  schemaOf: (base: Item) => z.ZodMiniType<unknown, Values>;
  valuesOf: (stored: Item) => Values;
  /** Sends the differences from `base`, with its revision. @returns the version that is now stored */
  save: (values: Values, base: Item) => Promise<Item>;
  /** Returns whether the values differ from the stored version. */
  isChange: (values: Values, stored: Item) => boolean;
  /** Reads the version that is stored now. */
  readStored: () => Promise<Item>;
  /** Describes a conflict to the person: others' changes since `base`. */
  conflictOf: (theirs: Item, refused: { error: ApiError; values: Values; base: Item }) => Conflict;
};

/**
 * A form for data that other people may change at the same time. Their changes show at once if no text is typed;
 * otherwise the person sees them at the first save, and decides.
 * @param stored the last read
 */
export function useDraft<Item extends Versioned, Values extends FieldValues, Conflict>(
  stored: Item,
  { schemaOf, valuesOf, save, isChange, readStored, conflictOf }: Draft<Item, Values, Conflict>,
) {
  const [base, setBase] = useState(stored);
  const [conflict, setConflict] = useState<Conflict>();
  const revisionToReplace = useRef<number>(undefined);
  const resetDraft = (next: Item, values?: Values) => {
    setBase(next);
    setConflict(undefined);
    resetForm(form, valuesOf(next), values);
  };
  const submit = async (values: Values): Promise<void> => {
    const from = { ...base, revision: revisionToReplace.current ?? base.revision };
    const sent = form.getValues();
    try {
      const saved = await save(values, from);
      // The person may have typed more meanwhile.
      resetDraft(saved, rebase(sent, valuesOf(saved), form.getValues()));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'changed_meanwhile') throw error;
      const theirs = await readStored();
      // The answer to an earlier save was lost, or another person saved the same values.
      if (!isChange(rebase(valuesOf(from), valuesOf(theirs), values), theirs)) {
        toast('Your changes are already saved.');
        return resetDraft(theirs, rebase(sent, valuesOf(theirs), form.getValues()));
      }
      setConflict(conflictOf(theirs, { error, values, base: from }));
    }
  };
  const initial = valuesOf(base) as DefaultValues<Values>;
  const state = useApiForm(schemaOf(base), initial, submit);
  const { form } = state;
  const { isDirty } = form.formState;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it resets on a new read, or once nothing is typed.
  useEffect(() => {
    const decision = decideOnRefetch(base, stored, isDirty);
    if (decision === 'reset') resetDraft(stored);
    if (decision === 'update') setBase(stored);
  }, [stored, isDirty]);
  return {
    state,
    base,
    /** The conflict to show the person. */
    conflict,
    /** Starts from a stored version, without the person's changes. */
    reset: (next: Item) => resetDraft(next),
    /** Starts from a version that another person has stored, with the person's changes on top of it. */
    reapply: (theirs: Item) => resetDraft(theirs, rebase(valuesOf(base), valuesOf(theirs), form.getValues())),
    /** Saves the person's changes over others', up to a revision. */
    async overwrite(revision: number) {
      revisionToReplace.current = revision;
      await state.onSubmit();
      revisionToReplace.current = undefined;
    },
  };
}
