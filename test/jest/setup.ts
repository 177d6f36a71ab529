import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder for compiled code, which the processes of the run share, and then what they find there. The product is loaded only when there is the
 * folder: what is compiled for this process is compiled for the workers, too.
 */
export default async function setup(): Promise<void> {
  process.env.HAULGATE_TEST_COMPILED = mkdtempSync(join(tmpdir(), 'haulgate-compiled-'));
  // PostgreSQL may have to run as nobody, who must be able to walk in.
  chmodSync(process.env.HAULGATE_TEST_COMPILED, 0o711);
  const { prepare } = await import('./prepare.ts');
  await prepare();
}
