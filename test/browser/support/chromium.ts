import { existsSync } from 'node:fs';

/** Debian's packages of Chromium. The shell without a window takes half of the CPU. */
const DEBIANS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;

/** The path in CHROMIUM, or the path of Debian's package. */
export const chromiumPath = process.env.CHROMIUM ?? DEBIANS.find((path) => existsSync(path)) ?? DEBIANS[0];
