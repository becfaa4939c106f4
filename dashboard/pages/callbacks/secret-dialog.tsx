import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { revealCallbackSecret, rotateCallbackSecret } from '../../../shared/messages/dashboard/organization.ts';
import { useAction } from '../../app/query/use-action.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { Button } from '../../components/button/button.tsx';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { SecretValue } from '../../components/dialog/secret-value.tsx';
import { Actions } from '../../components/form/form.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { organizationQuery } from '../organization/organization-query.ts';

const words = {
  reveal: {
    title: 'Reveal the signing secret?',
    lead: 'The audit log records that you read it.',
    action: 'Reveal secret',
    shown: 'The signing secret',
  },
  rotate: {
    title: 'Replace the signing secret?',
    lead: 'Callbacks are signed with both secrets for 24 hours, then only with the new one.',
    action: 'Replace secret',
    shown: 'The new signing secret',
  },
} as const;

type Props = { mode: keyof typeof words; onClose: () => void };

/** Shows the secret while the dialog is open, and stores it nowhere else. */
export function SecretDialog({ mode, onClose }: Props) {
  const client = useQueryClient();
  const [secret, setSecret] = useState<string>();
  const { run, isBusy, failure } = useAction();
  const { title, lead, action, shown } = words[mode];
  const go = () =>
    run(async () => {
      const answer = await (mode === 'reveal' ? callApi(revealCallbackSecret, {}) : callApi(rotateCallbackSecret, {}));
      setSecret(answer.secret);
      if (mode === 'rotate') await client.invalidateQueries({ queryKey: organizationQuery.queryKey });
    });
  return (
    <Dialog isOpen onClose={onClose} title={secret === undefined ? title : shown} lead={lead}>
      {failure !== undefined && <ErrorNotice error={failure} />}
      {secret !== undefined && <SecretValue value={secret} what="the secret" />}
      <Actions>
        {secret === undefined && (
          <Button variant="primary" isBusy={isBusy} onClick={go}>
            {action}
          </Button>
        )}
        <Button data-back onClick={onClose}>
          {secret === undefined ? 'Cancel' : 'Done'}
        </Button>
      </Actions>
    </Dialog>
  );
}
