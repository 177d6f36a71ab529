import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Hashes of files, by name. */
export type Hashes = Readonly<Record<string, string>>;
/** The migrations that each release brought, by its version. */
export type Released = Readonly<Record<string, Hashes>>;

/** `npm run release` writes it; it is committed with the release. */
const MANIFEST = 'scripts/release/released-migrations.json';
const FOLDER = 'migrations';

export const readReleased = (): Released => JSON.parse(readFileSync(MANIFEST, 'utf8')) as Released;

/** Returns the SHA-256 of each migration. */
export const migrationsNow = (): Hashes =>
  Object.fromEntries(
    readdirSync(FOLDER)
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(FOLDER, name)))
          .digest('hex'),
      ]),
  );

/**
 * Returns what is wrong with migrations that a release has brought: databases have run them and will not run them again, so that a change would
 * reach new databases only, and two installations of one version would differ.
 */
export function touchedMigrations(released: Released, now: Hashes): string[] {
  return Object.entries(released).flatMap(([version, hashes]) =>
    Object.entries(hashes).flatMap(([name, hash]) => {
      const said = now[name] === undefined ? 'is gone' : now[name] === hash ? undefined : 'was changed';
      return said ? [`${FOLDER}/${name} ${said}, but ${version} was released with it: restore it, and write another migration`] : [];
    }),
  );
}

/** Returns the list with what a version brings in addition to those before it. */
export function withRelease(released: Released, version: string, now: Hashes): Released {
  const known = new Set(Object.values(released).flatMap(Object.keys));
  const added = Object.entries(now).filter(([name]) => !known.has(name));
  return added.length === 0 ? released : { ...released, [version]: { ...released[version], ...Object.fromEntries(added) } };
}

/** Notes what a version brings. @returns how many migrations */
export function noteRelease(version: string): number {
  const [before, now] = [readReleased(), migrationsNow()];
  const after = withRelease(before, version, now);
  if (after === before) return 0;
  writeFileSync(MANIFEST, `${JSON.stringify(after, null, 2)}\n`);
  return Object.keys(after[version]!).length - Object.keys(before[version] ?? {}).length;
}
