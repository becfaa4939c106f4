/** Debian's package, which .ci/run installs, or another path. */
export const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
