import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { updateOrganization } from '../../../shared/messages/dashboard/organization.ts';
import { useMe } from '../../app/reads/me.ts';
import { refusal } from '../../app/session/rights.ts';
import { Button } from '../../parts/button/button.tsx';
import { GuardedButton } from '../../parts/button/guarded-button.tsx';
import { LeaveGuard } from '../../parts/dialog/leave-guard.tsx';
import { Actions, Fields, Form } from '../../parts/form/form.tsx';
import { Notice } from '../../parts/message/notice.tsx';
import type { useSettings } from './use-settings.ts';

type Props<Values extends FieldValues> = {
  settings: ReturnType<typeof useSettings<Values>>;
  children: ReactNode;
};

/** The frame of a `useSettings` form: its fields, a conflict's author, and the buttons to save and discard. */
export function SettingsForm<Values extends FieldValues>({ settings, children }: Props<Values>) {
  const me = useMe();
  const { state, conflict, showTheirs, overwrite, discard } = settings;
  const reason = refusal(me, updateOrganization);
  const { isDirty, isSubmitting } = state.form.formState;
  return (
    <Form state={state}>
      {conflict !== undefined && (
        <Notice
          tone="warn"
          title={conflict}
          action={
            <>
              <Button onClick={showTheirs}>Show theirs</Button>
              <Button onClick={overwrite}>Overwrite with mine</Button>
            </>
          }
        >
          <p>Your entries are still here.</p>
        </Notice>
      )}
      <Fields disabled={reason !== undefined}>{children}</Fields>
      <Actions>
        <GuardedButton look="primary" type="submit" isBusy={isSubmitting} aria-disabled={!isDirty} reason={reason}>
          Save settings
        </GuardedButton>
        {isDirty && <Button onClick={discard}>Discard</Button>}
      </Actions>
      <LeaveGuard isDirty={isDirty} />
    </Form>
  );
}
