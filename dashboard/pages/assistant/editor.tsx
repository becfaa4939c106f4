import { lazy, Suspense, useEffect, useState } from 'react';
import type { ShownAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import { updateAssistant } from '../../../shared/messages/dashboard/assistants.ts';
import { isRejected } from '../../app/api/api-error.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { Button } from '../../components/button/button.tsx';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { UnsavedChangesGuard } from '../../components/dialog/unsaved-changes-guard.tsx';
import { Form } from '../../components/form/form.tsx';
import { Card } from '../../components/layout/card.tsx';
import { TabPanels } from '../../components/layout/tab-panels.tsx';
import { Skeleton } from '../../components/message/skeleton.tsx';
import styles from './assistant.module.css';
import { DefinitionConflict } from './definition-conflict.tsx';
import { ScriptTab } from './script-tab.tsx';
import { useDefinition } from './use-definition.ts';

// Loaded after the script, which people see first.
const AnalysisTab = lazy(() => import('./analysis-tab.tsx').then((tab) => ({ default: tab.AnalysisTab })));
const VoiceTab = lazy(() => import('./voice-tab.tsx').then((tab) => ({ default: tab.VoiceTab })));
const KnowledgeTab = lazy(() => import('./knowledge-tab.tsx').then((tab) => ({ default: tab.KnowledgeTab })));

/** The tab of each field; the rest are in the script tab. */
const tabOf: Readonly<Record<string, string>> = {
  voice: 'voice',
  language: 'voice',
  transfer_number: 'voice',
  max_duration_seconds: 'voice',
  success_criteria: 'analysis',
  analysis_schema: 'analysis',
};

/** @param failure of the last save; undefined without one */
function describeDraft(isDirty: boolean, failure: unknown): string {
  if (!isDirty) return 'All changes are saved. The next call uses them.';
  if (failure !== undefined && !isRejected(failure))
    return 'It is not known whether your changes are saved. Save again.';
  return 'Not saved yet. Calls use the saved version.';
}

type Props = { assistant: ShownAssistant; onDirty: (isDirty: boolean) => void };

export function Editor({ assistant, onDirty }: Props) {
  const [tab, setTab] = useState('script');
  const { state, conflict, overwrite, reload, discard } = useDefinition(assistant);
  const { isDirty, isSubmitting } = state.form.formState;
  const reason = deniedReason(useMe(), updateAssistant);
  const isReader = reason !== undefined;
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);
  const tabs = [
    { value: 'script', label: 'Script', panel: <ScriptTab reason={reason} /> },
    {
      value: 'voice',
      label: 'Voice & limits',
      panel: (
        <Suspense fallback={<Skeleton />}>
          <VoiceTab isReader={isReader} />
        </Suspense>
      ),
    },
    {
      value: 'knowledge',
      label: `Knowledge ${assistant.knowledge || ''}`.trim(),
      panel: (
        <Suspense fallback={<Skeleton />}>
          <KnowledgeTab assistant={assistant} />
        </Suspense>
      ),
    },
    {
      value: 'analysis',
      label: 'Analysis',
      panel: (
        <Suspense fallback={<Skeleton />}>
          <AnalysisTab reason={reason} />
        </Suspense>
      ),
    },
  ];
  return (
    <Card>
      <Form state={state} onBeforeFocus={(field) => setTab(tabOf[field] ?? 'script')}>
        {conflict && (
          <DefinitionConflict conflict={conflict} onOverwrite={overwrite} onReload={reload} isBusy={isSubmitting} />
        )}
        <TabPanels label="Parts of the assistant" tabs={tabs} value={tab} onChoose={setTab} />
        {tab !== 'knowledge' && (
          <div className={styles.bar}>
            <GuardedButton
              variant="primary"
              type="submit"
              disabledReason={reason}
              isBusy={isSubmitting}
              aria-disabled={!isDirty || conflict !== undefined}
            >
              Save
            </GuardedButton>
            {isDirty && (
              <Button aria-disabled={isSubmitting} onClick={discard}>
                Discard
              </Button>
            )}
            <span role="status" className={styles.muted}>
              {describeDraft(isDirty, state.failure)}
            </span>
          </div>
        )}
      </Form>
      <UnsavedChangesGuard isDirty={isDirty} />
    </Card>
  );
}
