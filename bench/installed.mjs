// Whether packages of the peers are there: they are installed in this folder, and not by everybody.
import { existsSync } from 'node:fs';

/** The folder of an installed package. */
export const folderOf = (name) => new URL(`node_modules/${name}/`, import.meta.url);

/** Whether all of these packages are installed. */
export const areInstalled = (names) => names.every((name) => existsSync(new URL('package.json', folderOf(name))));
