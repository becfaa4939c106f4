import { Button } from '../../components/button/button.tsx';
import { useCountdown } from '../../components/message/error-notice.tsx';
import { formatDuration } from '../../words/times.ts';

type Props = { children: string; isBusy: boolean; failure: unknown };

/** A form's submit button. Counts down a wait that the service demands. */
export function SubmitButton({ children, isBusy, failure }: Props) {
  const seconds = useCountdown(failure);
  return (
    <Button variant="primary" type="submit" isWide isBusy={isBusy} aria-disabled={seconds > 0}>
      {seconds > 0 ? `Wait ${formatDuration(seconds)}` : children}
    </Button>
  );
}
