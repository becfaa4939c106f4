declare module 'textlint-rule-prh' {
  import type { TextlintKernelRule } from '@textlint/kernel';

  const exported: { default: TextlintKernelRule['rule'] };
  export default exported;
}
