import { useEffect, useRef, useState } from 'react';
import type { DefaultValues, FieldValues, Path, PathValue } from 'react-hook-form';
import type * as z from 'zod/mini';
import { ApiError } from '../app/api-error.ts';
import { useApiForm } from './form-state.ts';

/** What a form changes; each save counts its revision up. */
type Stored = { revision: number };

/**
 * Typed text is never lost because something was read again: with it, only the person begins anew.
 * @param base what the form began with. @param stored what was read last
 * @returns `begin`: the fields show what was read last; `take`: they stay, as do the settings, and only other facts,
 * such as a consent, are new; `keep`: nothing happens
 */
export function readAgain(base: Stored, stored: Stored, isDirty: boolean): 'begin' | 'take' | 'keep' {
  if (stored.revision > base.revision) return isDirty ? 'keep' : 'begin';
  return stored.revision === base.revision && stored !== base ? 'take' : 'keep';
}

type Draft<Item extends Stored, Values extends FieldValues, Late> = {
  schemaOf: (base: Item) => z.ZodMiniType<unknown, Values>;
  valuesOf: (stored: Item) => Values;
  /** Sends what differs from `base`, with its revision. @returns what is stored then */
  save: (values: Values, base: Item) => Promise<Item>;
  /** What the person has to know where somebody else has saved after `base`. */
  late: (error: ApiError, values: Values, base: Item) => Late | Promise<Late>;
};

/**
 * A form of something that others may change at the same time. What they save shows at once where nothing is typed;
 * else the person is told at the first save, and decides.
 * @param stored what was read last
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
    form.reset(valuesOf(next));
    for (const [name, value] of Object.entries(values ?? {}))
      form.setValue(name as Path<Values>, value as PathValue<Values, Path<Values>>, { shouldDirty: true });
  };
  const submit = async (values: Values): Promise<void> => {
    const from = { ...base, revision: over.current ?? base.revision };
    try {
      begin(await save(values, from));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'changed_meanwhile') throw error;
      setConflict(await late(error, values, from));
    }
  };
  const initial = valuesOf(base) as DefaultValues<Values>;
  const state = useApiForm(schemaOf(base), initial, submit);
  const { form } = state;
  const { isDirty } = form.formState;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins with what is read, or once nothing is typed.
  useEffect(() => {
    const step = readAgain(base, stored, isDirty);
    if (step === 'begin') begin(stored);
    if (step === 'take') setBase(stored);
  }, [stored, isDirty]);
  return {
    state,
    base,
    /** What the person has to know of who was first. */
    conflict,
    /** Begins with something stored; `values` are the person's own changes on top of it. */
    begin,
    /** Saves what the person changed over what others have stored up to a revision. */
    async saveOver(revision: number) {
      over.current = revision;
      await state.onSubmit();
      over.current = undefined;
    },
  };
}
