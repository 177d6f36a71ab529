import { safeFileName } from '../../files/file-name.ts';
import { foldText } from '../../platform/fold.ts';

/** Names of devices, which Windows opens instead of a file, whatever follows the dot. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * Gives the files of an archive their paths: a folder for each job, names that lead nowhere else, and a number after names that are equal,
 * regardless of case, because many systems ignore it.
 */
export function archiveNames(files: readonly { folder: string; fileName: string }[]): string[] {
  const taken = new Set<string>();
  return files.map(({ folder, fileName }) => {
    const extension = /\.([a-z0-9]{1,5})$/i.exec(fileName)?.[1]?.toLowerCase() ?? 'bin';
    const safe = safeFileName(fileName, [extension]);
    const name = DEVICE.test(safe) ? `_${safe}` : safe;
    const at = name.lastIndexOf('.');
    const [stem, end] = [name.slice(0, at), name.slice(at)];
    const inside = folder.replace(/[^\w-]/g, '_');
    let path = `${inside}/${name}`;
    for (let n = 2; taken.has(foldText(path)); n++) path = `${inside}/${stem} (${n})${end}`;
    taken.add(foldText(path));
    return path;
  });
}
