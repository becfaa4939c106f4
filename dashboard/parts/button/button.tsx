import type { ComponentProps } from 'react';
import { Hidden } from '../hidden.tsx';
import { names } from '../names.ts';
import styles from './button.module.css';

export type ButtonLook = 'primary' | 'secondary' | 'quiet' | 'danger';

export type ButtonProps = ComponentProps<'button'> & {
  look?: ButtonLook;
  /** While its action runs. The button keeps its place and the focus. */
  isBusy?: boolean;
  /** Square, for an icon with an aria-label. */
  isIcon?: boolean;
  isWide?: boolean;
};

export const buttonClass = (look: ButtonLook, isIcon = false, isWide = false): string =>
  names(styles.button, styles[look], isIcon && styles.icon, isWide && styles.wide);

/** A button. `aria-disabled` leaves it focusable, so that people find the reason beside it. */
export function Button({ look = 'secondary', isBusy, isIcon, isWide, className, children, ...rest }: ButtonProps) {
  const isOff = isBusy || rest['aria-disabled'] === true || rest['aria-disabled'] === 'true';
  return (
    <button
      type="button"
      {...rest}
      className={names(buttonClass(look, isIcon, isWide), className)}
      aria-disabled={isOff || undefined}
      onClick={(event) => {
        if (isOff) event.preventDefault();
        else rest.onClick?.(event);
      }}
    >
      {isBusy && <span className={styles.spinner} aria-hidden="true" />}
      {children}
      {isBusy && <Hidden> (working)</Hidden>}
    </button>
  );
}
