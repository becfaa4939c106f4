import { useState } from 'react';
import { type DefaultValues, type FieldValues, type Path, type Resolver, useForm } from 'react-hook-form';
import type * as z from 'zod/mini';
import { refetchRoleIfDenied } from '../../app/query/query-client.ts';
import { describeIssue, fieldErrorsOf, toSentence } from '../../words/fields.ts';

/** Validates a form by the API's schema. */
const schemaResolver =
  <Values extends FieldValues>(schema: z.ZodMiniType<unknown, Values>): Resolver<Values> =>
  (values) => {
    const result = schema.safeParse(values);
    if (result.success) return { values, errors: {} };
    const errors: Record<string, { type: string; message: string }> = {};
    for (const issue of result.error.issues)
      errors[issue.path.join('.')] ??= { type: issue.code ?? 'invalid', message: describeIssue(issue) };
    return { values: {}, errors: errors as never };
  };

/**
 * Keeps a form's values, its fields' errors, and its last submission's failure.
 * @param submit sends the values; if it throws, the error is shown and the values stay
 */
export function useApiForm<Values extends FieldValues>(
  schema: z.ZodMiniType<unknown, Values>,
  defaultValues: DefaultValues<Values>,
  submit: (values: Values) => Promise<unknown>,
) {
  const form = useForm<Values>({
    resolver: schemaResolver(schema),
    defaultValues,
    mode: 'onSubmit',
    reValidateMode: 'onChange',
    // `Form` decides what to focus, by the number of errors.
    shouldFocusError: false,
  });
  const [failure, setFailure] = useState<unknown>();
  const onSubmit = form.handleSubmit(async (values) => {
    setFailure(undefined);
    try {
      await submit(values);
    } catch (error) {
      refetchRoleIfDenied(error);
      const fields = fieldErrorsOf(error).filter(({ path }) => path in values);
      for (const { path, message } of fields)
        form.setError(path as Path<Values>, { type: 'server', message: toSentence(message) });
      setFailure(fields.length > 0 ? undefined : error);
    }
  });
  return { form, failure, setFailure, onSubmit };
}

export type ApiForm<Values extends FieldValues> = ReturnType<typeof useApiForm<Values>>;
