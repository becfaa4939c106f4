import { existsSync } from 'node:fs';

/** Debian's packages of Chromium. The shell without a window takes half of the CPU. */
const DEBIAN_PATHS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;

/** The path in CHROMIUM, or the path of Debian's package. */
export const chromiumPath = process.env.CHROMIUM ?? DEBIAN_PATHS.find((path) => existsSync(path)) ?? DEBIAN_PATHS[0];
