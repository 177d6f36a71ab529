import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EntityManager } from '@mikro-orm/postgresql';
import { StartError } from '../start-error.ts';

/** The oldest PostgreSQL with all features that migrations and the product use. */
export const OLDEST_POSTGRES = 15;

/** Next to `src`: the TypeScript of the repository, or what the build made of it in `dist`. */
const FOLDER = join(import.meta.dirname, '../../../migrations');
/** `202611301405-add-haul-zones`: minutes, so that the alphabet is the order in time, and a verb with what it does it to. */
const NAME = /^20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d(?:-[a-z0-9]+){2,}$/;
/** The names of migrations before the first release: `2026-11-20-directory`. */
const UNRELEASED = '^\\d{4}-\\d{2}-\\d{2}-';

/**
 * The names of all migrations, in the order in which they run.
 * @throws Error for a file whose name is not `YYYYMMDDHHMM-verb-noun`, which would run in another order than it was written, or not at all
 */
export function migrationNames(folder = FOLDER): string[] {
  const names = readdirSync(folder)
    .filter((file) => /\.[jt]s$/.test(file))
    .map((file) => file.slice(0, -3))
    .sort();
  const wrong = names.filter((name) => !NAME.test(name));
  if (wrong.length > 0) throw new Error(`Migrations are named YYYYMMDDHHMM-verb-noun; these are not: ${wrong.join(', ')}.`);
  return names;
}

/** The migrations themselves, as MikroORM takes them. @throws Error as `migrationNames` does, and for a file that exports anything but one class */
export function loadMigrations(): Promise<{ name: string; class: Function }[]> {
  return Promise.all(
    migrationNames().map(async (name) => {
      // A relative path, which the loader of the repository, the build and the tests' transform each make theirs.
      const exported: unknown[] = Object.values(await import(`../../../migrations/${name}.ts`));
      const [only, ...others] = exported;
      if (typeof only !== 'function' || others.length > 0)
        throw new Error(`The migration ${name} must export one class, and nothing else.`);
      return { name, class: only };
    }),
  );
}

/**
 * Nothing had been released when the migrations began anew, so that no steps lead from an older database to this one.
 * @throws StartError for a database that a version before the first release made; nothing in it was changed
 */
export async function refuseUnreleased(em: EntityManager): Promise<void> {
  const [there] = await em.execute<{ kept: string | null }[]>("select to_regclass('public.migration')::text as kept");
  if (!there?.kept) return;
  const [old] = await em.execute<object[]>('select from migration where name ~ ? limit 1', [UNRELEASED]);
  if (old)
    throw new StartError(
      'This database was made by a version of Haulgate from before its first release, which later versions cannot take over. Nothing was changed. ' +
        'For the database that Haulgate starts itself, move its data folder away (.data, or the folder that HAULGATE_DATA names); ' +
        'for a server of yours, make an empty database and name it in DATABASE_URL and DATABASE_OWNER_URL. Then start again.',
    );
}

/**
 * Whether a newer version has migrated the database. Its rights and policies are what it needs, and the version before was made to be served by them;
 * whoever starts next must not put back older ones.
 */
export async function isNewer(em: EntityManager): Promise<boolean> {
  const [there] = await em.execute<{ kept: string | null }[]>("select to_regclass('public.migration')::text as kept");
  if (!there?.kept) return false;
  const names = migrationNames();
  const done = await em.execute<{ name: string }[]>('select name from migration');
  return done.some(({ name }) => !names.includes(name));
}
