import type { ComponentProps } from 'react';
import { classNames } from '../class-names.ts';
import { VisuallyHidden } from '../visually-hidden.tsx';
import styles from './button.module.css';

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger';

export type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant;
  /** While its action runs. The button keeps its place and the focus. */
  isBusy?: boolean;
  /** Square, for an icon with an aria-label. */
  isIcon?: boolean;
  isWide?: boolean;
};

export const buttonClass = (variant: ButtonVariant, isIcon = false, isWide = false): string =>
  classNames(styles.button, styles[variant], isIcon && styles.icon, isWide && styles.wide);

/** A button. `aria-disabled` leaves it focusable, so that people find the reason beside it. */
export function Button({ variant = 'secondary', isBusy, isIcon, isWide, className, children, ...rest }: ButtonProps) {
  const isDisabled = isBusy || rest['aria-disabled'] === true || rest['aria-disabled'] === 'true';
  return (
    <button
      type="button"
      {...rest}
      className={classNames(buttonClass(variant, isIcon, isWide), className)}
      aria-disabled={isDisabled || undefined}
      onClick={(event) => {
        if (isDisabled) event.preventDefault();
        else rest.onClick?.(event);
      }}
    >
      {isBusy && <span className={styles.spinner} aria-hidden="true" />}
      {children}
      {isBusy && <VisuallyHidden> (working)</VisuallyHidden>}
    </button>
  );
}
