import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as z from 'zod/mini';
import { type OrganizationView, updateOrganization } from '../../../shared/messages/dashboard/organization.ts';
import { queryClient } from '../../app/query/query-client.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { TextField } from '../../components/form/field.tsx';
import { Form, FormActions } from '../../components/form/form.tsx';
import { useApiForm } from '../../components/form/use-api-form.ts';
import { AlertInView } from '../../components/message/alert-in-view.tsx';
import { ErrorNotice } from '../../components/message/error-notice.tsx';
import { Notice } from '../../components/message/notice.tsx';
import { Skeleton } from '../../components/message/skeleton.tsx';
import { toast } from '../../components/message/toasts.ts';
import { describeThresholdConflict } from '../../words/organization/credit.ts';
import { creditAmountSchema } from '../../words/organization/credit-amount.ts';
import { organizationQuery } from '../organization/organization-query.ts';

/** Changes the credit below which people are warned. */
export function Threshold() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <GuardedButton disabledReason={deniedReason(useMe(), updateOrganization)} onClick={() => setOpen(true)}>
        Change…
      </GuardedButton>
      {isOpen && <ThresholdDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function ThresholdDialog({ onClose }: { onClose: () => void }) {
  const { data, error, refetch } = useQuery(organizationQuery);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Warn when credit falls below"
      lead="In the app, and by e-mail to the roles chosen under Notifications."
    >
      {data && <ThresholdForm org={data} onClose={onClose} />}
      {!data && error !== null && <ErrorNotice error={error} onRetry={() => refetch()} />}
      {!data && error === null && <Skeleton label="Loading the threshold" />}
    </Dialog>
  );
}

const schema = z.object({ warn_below: creditAmountSchema });

function ThresholdForm({ org, onClose }: { org: OrganizationView; onClose: () => void }) {
  // The version that the person saw: the one as opened, then the one that a conflict showed.
  const [seen, setSeen] = useState(org);
  const [isConflict, setConflict] = useState(false);
  const before = seen.warn_below === null ? '' : String(seen.warn_below);
  const state = useApiForm(schema, { warn_below: before }, async ({ warn_below }) => {
    const now = await queryClient.fetchQuery({ ...organizationQuery, staleTime: 0 });
    const wanted = warn_below === '' ? null : Number(warn_below);
    // Only another person's different threshold is a conflict. After a lost answer, the wanted one may be saved.
    const isOther = now.warn_below !== seen.warn_below && now.warn_below !== wanted;
    setSeen(now);
    setConflict(isOther);
    if (isOther) return;
    if (now.warn_below !== wanted) {
      const body = { revision: now.revision, warn_below: wanted };
      queryClient.setQueryData(organizationQuery.queryKey, await callApi(updateOrganization, { body }));
    }
    toast('Threshold saved.');
    onClose();
    await queryClient.invalidateQueries({ queryKey: ['overview'] });
  });
  return (
    <Form state={state}>
      {isConflict && (
        <AlertInView>
          <Notice tone="warn" title="The threshold was changed meanwhile.">
            <p>{describeThresholdConflict(seen)}</p>
          </Notice>
        </AlertInView>
      )}
      <TextField name="warn_below" label="Credits" inputMode="decimal" hint="Leave it empty for no threshold." />
      <FormActions action="Save" onClose={onClose} />
    </Form>
  );
}
