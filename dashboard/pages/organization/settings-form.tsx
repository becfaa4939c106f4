import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { updateOrganization } from '../../../shared/messages/dashboard/organization.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { Button } from '../../components/button/button.tsx';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { UnsavedChangesGuard } from '../../components/dialog/unsaved-changes-guard.tsx';
import { ConflictNotice } from '../../components/form/conflict-notice.tsx';
import { Actions, Form, FormFieldset } from '../../components/form/form.tsx';
import { auditedSettings } from '../../words/organization/audited-settings.ts';
import { describeChanges } from '../../words/organization/changes.ts';
import type { useSettings } from './use-settings.ts';

type Props<Values extends FieldValues> = {
  settings: ReturnType<typeof useSettings<Values>>;
  children: ReactNode;
};

/** The frame of a `useSettings` form: its fields, a conflict, and the buttons to save and discard. */
export function SettingsForm<Values extends FieldValues>({ settings, children }: Props<Values>) {
  const me = useMe();
  const { state, base, conflict, takeTheirs, keepMine, discard } = settings;
  const reason = deniedReason(me, updateOrganization);
  const { isDirty, isSubmitting } = state.form.formState;
  return (
    <Form state={state}>
      {conflict !== undefined && (
        <ConflictNotice
          thing="organization"
          theirs={conflict}
          changes={describeChanges({ before: auditedSettings(base), after: auditedSettings(conflict) })}
          onTakeTheirs={takeTheirs}
          onKeepMine={keepMine}
        />
      )}
      <FormFieldset disabled={reason !== undefined}>{children}</FormFieldset>
      <Actions>
        <GuardedButton
          variant="primary"
          type="submit"
          isBusy={isSubmitting}
          aria-disabled={!isDirty}
          disabledReason={reason}
        >
          Save settings
        </GuardedButton>
        {isDirty && <Button onClick={discard}>Discard</Button>}
      </Actions>
      <UnsavedChangesGuard isDirty={isDirty} />
    </Form>
  );
}
