import type { ReactNode } from 'react';
import type { FieldValues } from 'react-hook-form';
import { updateOrganization } from '../../../shared/messages/dashboard/organization.ts';
import { useMe } from '../../app/me.ts';
import { refusal } from '../../app/rights.ts';
import { Button } from '../../parts/button.tsx';
import { Actions, Form } from '../../parts/form.tsx';
import { GuardedButton } from '../../parts/guarded-button.tsx';
import { Notice } from '../../parts/notice.tsx';
import type { useSettings } from './use-settings.ts';

type Props<Values extends FieldValues> = {
  settings: ReturnType<typeof useSettings<Values>>;
  children: ReactNode;
};

/** The frame of a form of `useSettings`: its fields, who was first, and the buttons that save and discard. */
export function SettingsForm<Values extends FieldValues>({ settings, children }: Props<Values>) {
  const me = useMe();
  const { state, conflict, showTheirs, overwrite } = settings;
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
              <Button onClick={overwrite}>Save mine over it</Button>
            </>
          }
        >
          <p>What you entered is still here.</p>
        </Notice>
      )}
      {children}
      <Actions>
        <GuardedButton
          look="primary"
          type="submit"
          isBusy={isSubmitting}
          aria-disabled={!isDirty}
          reason={refusal(me, updateOrganization)}
        >
          Save settings
        </GuardedButton>
        {isDirty && <Button onClick={() => state.form.reset()}>Discard</Button>}
      </Actions>
    </Form>
  );
}
