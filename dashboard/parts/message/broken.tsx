import { Component, type ReactNode } from 'react';

/** Confines a part's failure, such as a script that cannot be loaded, to the part. */
export class Broken extends Component<{ fallback: ReactNode; children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    return this.state.isBroken ? this.props.fallback : this.props.children;
  }
}
