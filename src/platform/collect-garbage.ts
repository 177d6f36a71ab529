import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects what a start leaves behind: schema, documents and plans are made of several times as much as stays. Node would keep it until as much again is allocated, so
 * that a process that has little to do would have it for hours. It takes some tenths of a second, before anybody is answered.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
