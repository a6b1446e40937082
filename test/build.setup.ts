import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Tests that start processes run what users install: the built package. */
export function setup(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.mjs', import.meta.url)), '--if-changed'], {
    stdio: 'inherit',
  });
}
