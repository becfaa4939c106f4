import { Component, type ReactNode } from 'react';

/** Keeps the failure of a part from taking the page with it, such as a script that cannot be loaded any more. */
export class Broken extends Component<{ fallback: ReactNode; children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    return this.state.isBroken ? this.props.fallback : this.props.children;
  }
}
