import { type ConsentReturn, describeConsentResult } from '../../words/connections/consent.ts';
import { Button } from '../button/button.tsx';
import { Notice } from './notice.tsx';

type Props = {
  /** The consent's result from the address. */
  returned: ConsentReturn;
  /** Removes the result from the address. */
  onDismiss: () => void;
};

/** The sentence for a person who returns from a consent page. */
export function ConsentNotice({ returned, onDismiss }: Props) {
  const words = describeConsentResult(returned);
  if (!words) return null;
  return (
    <div role="status">
      <Notice tone={words.kind} title={words.title} action={<Button onClick={onDismiss}>Dismiss</Button>}>
        {words.text}
      </Notice>
    </div>
  );
}
