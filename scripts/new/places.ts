import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Insert } from './entity-lists.ts';

/** A folder has at most this many files (test/architecture.test.ts). */
const MOST_FILES = 25;

/** Returns what to do instead if a folder of src or test would get too many files; undefined if they have room. */
export function fullFolder(paths: string[]): string | undefined {
  const added = Map.groupBy(
    paths.filter((path) => /^(src|test)\//.test(path) && !existsSync(path)),
    (path) => path.replace(/\/[^/]+$/, ''),
  );
  for (const [folder, files] of added) {
    const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
    const size = entries.filter((entry) => entry.isFile()).length;
    if (size + files.length <= MOST_FILES) continue;
    // A test has the folder of its code.
    const room = folder.replace(/^(src|test)\//, '');
    const inside = entries.filter((entry) => entry.isDirectory()).map((entry) => join(room, entry.name));
    return [
      `${folder} has ${size} files, this adds ${files.length}, and a folder has at most ${MOST_FILES}.`,
      `Name a folder inside it, by what the files are about: ${[...inside, `${room}/<noun>`].join(', ')}.`,
      'Or first move files that belong together into one. Nothing was written.',
    ].join('\n');
  }
  return undefined;
}

/**
 * Gives a new folder of a room whose folders have an order the last place in it (test/architecture.test.ts), from where it may import all
 * others. @returns the files that were changed
 */
export function placeFolder(folder: string, insert: Insert): string[] {
  const path = 'test/architecture.test.ts';
  const [room, inside] = folder.split('/');
  const listed = new RegExp(`(?<=const FOLDERS[^;]*\\n  ${room}: )\\[[^;]*?\\](?=,\\n(?:  \\w+:|\\};))`).exec(
    readFileSync(path, 'utf8'),
  )?.[0];
  if (!inside || !listed || listed.includes(`'${inside}'`)) return [];
  const end = new RegExp(`(?<=const FOLDERS[^;]*\\n  ${room}: \\[[^;]*?)\\s*\\](?=,\\n(?:  \\w+:|\\};))`);
  insert(path, end, `${listed.trimEnd().endsWith(',\n  ]') ? '' : ','} ['${inside}']`);
  return [path];
}

/** Returns the file of src that contains this text, and whose path has this form. */
export function sourceWith(path: RegExp, text: string): string | undefined {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((one) => path.test(one));
  return files.map((one) => join('src', one)).find((one) => readFileSync(one, 'utf8').includes(text));
}

/** Returns the names of all entities, each with its file and its text. */
export function entityClasses(): Map<string, { path: string; text: string }> {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((one) => /\.entit(y|ies)\.ts$/.test(one));
  return new Map(
    files.flatMap((file) => {
      const path = join('src', file);
      const parts = readFileSync(path, 'utf8').split(/^(?=export class )/m);
      return parts.flatMap((text) => {
        const name = /^export class (\w+)/.exec(text)?.[1];
        return name ? [[name, { path, text }] as const] : [];
      });
    }),
  );
}
