import { useState } from 'react';
import * as z from 'zod/mini';
import { defaultPermissions, permissions } from '../../../shared/domain/organizations/permission.ts';
import { createKey } from '../../../shared/messages/dashboard/keys.ts';
import type { Answer } from '../../app/api/send.ts';
import { useIdempotentAction } from '../../app/query/use-idempotent-action.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { Dialog } from '../../components/dialog/dialog.tsx';
import { ChoiceCards } from '../../components/form/choice-cards.tsx';
import { TextField } from '../../components/form/field.tsx';
import { Form, FormActions } from '../../components/form/form.tsx';
import { useApiForm } from '../../components/form/use-api-form.ts';
import { permissionWords } from '../../words/people/permissions.ts';
import { refreshKeys } from './keys-query.ts';
import { NewKeyDialog } from './new-key-dialog.tsx';

const schema = z.omit(createKey.request, { seed: true });
const newSeed = () => crypto.randomUUID() + crypto.randomUUID();

/** Creates a key and shows its value, which the page keeps only while this dialog is open. */
export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<Answer<typeof createKey>>();
  const withSeed = useIdempotentAction(newSeed);
  const state = useApiForm(schema, { name: '', permissions: defaultPermissions }, async (body) => {
    try {
      setMade(await withSeed((seed) => callApi(createKey, { body: { ...body, seed } })));
    } finally {
      // Even after a lost answer: the list then shows the key, whose value is unknown, so that it can be revoked.
      await refreshKeys();
    }
  });
  if (made) return <NewKeyDialog made={made} onClose={onClose} />;
  return (
    <Dialog isOpen onClose={onClose} title="Create an API key" lead="Give each program a key of its own.">
      <Form state={state}>
        <TextField name="name" label="Name" hint="Who or what uses the key, such as “backend”." autoComplete="off" />
        <PermissionChoice />
        <FormActions action="Create the key" onClose={onClose} />
      </Form>
    </Dialog>
  );
}

const PermissionChoice = () => (
  <ChoiceCards
    name="permissions"
    label="Permissions"
    type="checkbox"
    options={permissions.map((value) => ({ value, title: value, about: permissionWords[value] }))}
    wrong="Choose at least one permission."
  />
);
