import { Button } from '../../parts/button.tsx';
import { useCountdown } from '../../parts/failure.tsx';
import { clockOf } from '../../words/times.ts';

type Props = { children: string; isBusy: boolean; failure: unknown };

/** The deed of a form. It waits as long as the service asks for, counted down. */
export function Submit({ children, isBusy, failure }: Props) {
  const seconds = useCountdown(failure);
  return (
    <Button look="primary" type="submit" isWide isBusy={isBusy} aria-disabled={seconds > 0}>
      {seconds > 0 ? `Wait ${clockOf(seconds)}` : children}
    </Button>
  );
}
