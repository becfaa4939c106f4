import { type Import, importsIn } from './imports.ts';
import { filesBelow, read } from './sources.ts';

const FOLDERS = ['bin', 'lib', 'functions', 'shared', 'local', 'scripts', 'test'];

/** The TypeScript files of the dashboard. */
export const pageFiles = filesBelow('dashboard').filter((path) => /\.tsx?$/.test(path));
/** Every TypeScript file of the checkout. */
export const codeFiles = [...FOLDERS.flatMap((folder) => filesBelow(folder, '.ts')), ...pageFiles];
export const imports: readonly Import[] = codeFiles.flatMap((path) => importsIn(path, read(path)));

export const arrow = ({ from, to, isTypeOnly }: Import): string => `${from} -> ${to}${isTypeOnly ? ' (type)' : ''}`;
/** Formats the imports that break a rule. */
export const importsThat = (breaks: (one: Import) => unknown): string[] => imports.filter(breaks).map(arrow);
export const below = (path: string, ...folders: string[]): boolean =>
  folders.some((folder) => path.startsWith(`${folder}/`));
export const linesOf = (path: string): number => read(path).trimEnd().split('\n').length;
