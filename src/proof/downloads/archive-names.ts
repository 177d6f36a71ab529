import { safeFileName } from '../../files/file-name.ts';
import { foldText } from '../../platform/fold.ts';

/** Names of devices, which Windows opens instead of a file, whatever follows the dot. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * Assigns the files of an archive their paths: a folder for each job, names that stay inside it, and a number after names that are equal,
 * regardless of case, because many systems ignore it.
 */
export function archiveNames(files: readonly { folder: string; fileName: string }[]): string[] {
  const taken = new Set<string>();
  /** The number that a name asked for again is tried with: were each tried from the first, thousands of one name would take a minute. */
  const numbers = new Map<string, number>();
  return files.map(({ folder, fileName }) => {
    const extension = /\.([a-z0-9]{1,5})$/i.exec(fileName)?.[1]?.toLowerCase() ?? 'bin';
    const safe = safeFileName(fileName, [extension]);
    const name = DEVICE.test(safe) ? `_${safe}` : safe;
    const at = name.lastIndexOf('.');
    const [stem, end] = [name.slice(0, at), name.slice(at)];
    const inside = folder.replace(/[^\w-]/g, '_');
    let path = `${inside}/${name}`;
    let key = foldText(path);
    const asked = key;
    let n = numbers.get(asked) ?? 2;
    for (; taken.has(key); n++) {
      path = `${inside}/${stem} (${n})${end}`;
      key = foldText(path);
    }
    numbers.set(asked, n);
    taken.add(key);
    return path;
  });
}
