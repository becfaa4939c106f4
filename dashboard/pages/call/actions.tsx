import { Braces, Copy, Ellipsis, Link as LinkIcon, PhoneOff, Sparkles, Square } from 'lucide-react';
import { useState } from 'react';
import { repeatAnalysis, stopCall } from '../../../shared/messages/dashboard/call-actions.ts';
import type { ShownCall } from '../../../shared/messages/dashboard/calls.ts';
import { addDoNotCall } from '../../../shared/messages/dashboard/do-not-call.ts';
import { ApiError } from '../../app/api/api-error.ts';
import { useAction } from '../../app/query/use-action.ts';
import { callApi } from '../../app/session/browser-session.ts';
import { deniedReason } from '../../app/session/rights.ts';
import { useMe } from '../../app/shared-queries/me.ts';
import { Button } from '../../components/button/button.tsx';
import { GuardedButton } from '../../components/button/guarded-button.tsx';
import { Menu, MenuItem } from '../../components/button/menu.tsx';
import { toast, toastFailure } from '../../components/message/toasts.ts';
import { whyNotAnalyzable } from '../../words/calls/call-page.ts';
import { hasEnded } from '../../words/calls/calls.ts';
import { ListNumberDialog, StopDialog } from './call-dialogs.tsx';
import { refreshCall } from './call-query.ts';

/** The actions on a call. An unavailable one says why. */
export function CallActions({ call }: { call: ShownCall }) {
  const me = useMe();
  const [open, setOpen] = useState<'stop' | 'list'>();
  const close = () => setOpen(undefined);
  return (
    <>
      {!hasEnded(call) && (
        <GuardedButton variant="danger" disabledReason={deniedReason(me, stopCall)} onClick={() => setOpen('stop')}>
          <Square aria-hidden="true" />
          Stop the call
        </GuardedButton>
      )}
      <AnalyzeAgain call={call} />
      <Menu
        trigger={
          <Button isIcon aria-label="More">
            <Ellipsis aria-hidden="true" />
          </Button>
        }
      >
        <MenuItem icon={LinkIcon} onClick={() => copy(window.location.href, 'The link')}>
          Copy the link
        </MenuItem>
        <MenuItem icon={Copy} onClick={() => copy(call.id, 'The id')}>
          Copy the id
        </MenuItem>
        <MenuItem icon={Braces} onClick={() => copy(JSON.stringify(call, null, 2), 'The call')}>
          Copy as JSON
        </MenuItem>
        <MenuItem
          icon={PhoneOff}
          isDangerous
          disabledReason={call.is_listed ? 'The number is on the do-not-call list.' : deniedReason(me, addDoNotCall)}
          onClick={() => setOpen('list')}
        >
          Never call this number
        </MenuItem>
      </Menu>
      {open === 'stop' && <StopDialog call={call} onClose={close} />}
      {open === 'list' && <ListNumberDialog call={call} onClose={close} />}
    </>
  );
}

function copy(text: string, what: string): void {
  navigator.clipboard.writeText(text).then(
    () => toast(`${what} is copied.`),
    () => toastFailure(`${what} was not copied.`, new ApiError({ status: 0, code: 'clipboard_refused' })),
  );
}

function AnalyzeAgain({ call }: { call: ShownCall }) {
  const me = useMe();
  const { run, isBusy } = useAction((error) => toastFailure('The call was not analyzed.', error));
  const analyze = () =>
    run(async () => {
      await callApi(repeatAnalysis, { params: { id: call.id } });
      toast('The call is being analyzed again.');
      await refreshCall(call.id);
    });
  return (
    <GuardedButton
      disabledReason={deniedReason(me, repeatAnalysis) ?? whyNotAnalyzable(call)}
      isBusy={isBusy}
      onClick={analyze}
    >
      <Sparkles aria-hidden="true" />
      Analyze again
    </GuardedButton>
  );
}
