import { useEffect, useRef, useState } from 'react';
import type { DefaultValues, FieldValues, Path, PathValue, UseFormReturn } from 'react-hook-form';
import type * as z from 'zod/mini';
import { ApiError } from '../../app/api/api-error.ts';
import { useApiForm } from './form-state.ts';

/** What a form changes; each save increments its revision. */
type Stored = { revision: number };

/**
 * Decides what a form does with newly read data. Typed text is never lost to a refresh: only the person can discard it.
 * @param base the form's starting point. @param stored the last read
 * @returns `begin`: the fields take the last read; `take`: fields and settings stay, and only other facts, such as a
 * consent, are updated; `keep`: nothing happens
 */
export function readAgain(base: Stored, stored: Stored, isDirty: boolean): 'begin' | 'take' | 'keep' {
  if (stored.revision > base.revision) return isDirty ? 'keep' : 'begin';
  return stored.revision === base.revision && stored !== base ? 'take' : 'keep';
}

/** Applies a person's changes on top of what another person has stored since. */
export function rebased<Values extends FieldValues>(before: Values, theirs: Values, mine: Values): Values {
  const changed = Object.keys(theirs).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(mine[name]));
  return { ...theirs, ...Object.fromEntries(changed.map((name) => [name, mine[name]])) };
}

/** Starts a form from stored values. @param mine the person's changes on top of them, which are not saved yet */
export function resetTo<Values extends FieldValues>(
  form: UseFormReturn<Values, unknown, Values>,
  stored: Values,
  mine: Values = stored,
): void {
  form.reset(stored);
  for (const [name, value] of Object.entries(mine))
    form.setValue(name as Path<Values>, value as PathValue<Values, Path<Values>>, { shouldDirty: true });
}

type Draft<Item extends Stored, Values extends FieldValues, Late> = {
  schemaOf: (base: Item) => z.ZodMiniType<unknown, Values>;
  valuesOf: (stored: Item) => Values;
  /** Sends the differences from `base`, with its revision. @returns what is stored then */
  save: (values: Values, base: Item) => Promise<Item>;
  /** The message to the person if another person has saved since `base`. */
  late: (error: ApiError, values: Values, base: Item) => Late | Promise<Late>;
};

/**
 * A form for data that other people may change at the same time. Their changes show at once if no text is typed;
 * otherwise the person sees them at the first save, and decides.
 * @param stored the last read
 */
export function useDraft<Item extends Stored, Values extends FieldValues, Late>(
  stored: Item,
  { schemaOf, valuesOf, save, late }: Draft<Item, Values, Late>,
) {
  const [base, setBase] = useState(stored);
  const [conflict, setConflict] = useState<Late>();
  const over = useRef<number>(undefined);
  const begin = (next: Item, values?: Values) => {
    setBase(next);
    setConflict(undefined);
    resetTo(form, valuesOf(next), values);
  };
  const submit = async (values: Values): Promise<void> => {
    const from = { ...base, revision: over.current ?? base.revision };
    const sent = form.getValues();
    try {
      const saved = await save(values, from);
      // The person may have gone on typing.
      begin(saved, rebased(sent, valuesOf(saved), form.getValues()));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'changed_meanwhile') throw error;
      setConflict(await late(error, values, from));
    }
  };
  const initial = valuesOf(base) as DefaultValues<Values>;
  const state = useApiForm(schemaOf(base), initial, submit);
  const { form } = state;
  const { isDirty } = form.formState;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it resets on a new read, or once nothing is typed.
  useEffect(() => {
    const step = readAgain(base, stored, isDirty);
    if (step === 'begin') begin(stored);
    if (step === 'take') setBase(stored);
  }, [stored, isDirty]);
  return {
    state,
    base,
    /** The conflict to show the person. */
    conflict,
    /** Starts from a stored version, without the person's changes. */
    begin: (next: Item) => begin(next),
    /** Starts from a version that another person has stored, with the person's changes on top of it. */
    reapply: (theirs: Item) => begin(theirs, rebased(valuesOf(base), valuesOf(theirs), form.getValues())),
    /** Saves the person's changes over others', up to a revision. */
    async saveOver(revision: number) {
      over.current = revision;
      await state.onSubmit();
      over.current = undefined;
    },
  };
}
