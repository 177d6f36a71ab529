import { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { entities, registerRooms } from '../../src/app/rooms.ts';
import { Application, applicationOf, joinApplication } from '../../src/platform/application.ts';
import { type OrmOptions, ormSettings } from '../../src/platform/database/orm.ts';
import type { StatementListener } from '../../src/platform/database/statements.ts';
import { asApp, KEEPING, migratedDatabase } from '../helpers/database.ts';
import { oldestFirst } from './oldest-first.ts';

/** The results of MikroORM's discovery of the entities, and the code that it writes for their rows: they depend on nothing but the code of the product. */
let known: Promise<MikroORM> | undefined;

/** Opens a database as `createOrm` does, with all entities, which are examined once for all test files of a worker. */
export async function productsOrm(options: Omit<OrmOptions, 'entities'>, application = new Application()): Promise<MikroORM> {
  registerRooms();
  known ??= MikroORM.init(ormSettings({ ...options, entities }));
  return likeOrm(await known, ormSettings({ ...options, entities: [] }), application);
}

/** The database that the test files of a worker use one after the other, with connections that stay. */
interface Kept {
  product: MikroORM;
  owner: MikroORM;
  /** Called with every statement of the product. */
  onStatement?: StatementListener;
  /** Applications that have it open. */
  open: number;
  /** Whether one of them has it for itself. */
  alone: boolean;
  /** Whether one of them runs workers. */
  worked: boolean;
  /** Whether an application without workers had it since it was last empty, and may have left work undone. */
  undone: boolean;
  /** Whether it can be brought back to its beginning. */
  emptied: boolean;
}

/** The kept database, opened for one application. */
export interface Lent {
  productOrm: MikroORM;
  orm: MikroORM;
  /** Says that the application is closed; the connections stay open. */
  giveBack(): void;
}

/** Tables of tasks: what the files before left undone would be done, and counted, while the next one runs. */
const LEFT_BEHIND = [
  'import_task',
  'invoice_task',
  'day_invoice_task',
  'load_review_task',
  'ticket_match_task',
  'position_task',
  'ticket_chase_task',
];

let kept: Promise<Kept> | undefined;

/** What an application wants of the kept database. */
interface Wanted {
  /** It runs workers, which would do what files without workers have left undone: these and it never share. */
  works: boolean;
  /** It finds the database as empty as a new one, and no other application gets it meanwhile. */
  alone: boolean;
  /** Called with every statement of the product, until the next application opens the database. */
  onStatement: StatementListener;
}

/**
 * Opens the database that this worker of jest keeps for one more application: what PostgreSQL prepared for the files before is still there.
 * @returns undefined if another application has it, and they must not share; or if it cannot be emptied and has to be
 */
export async function lendDatabase({ works, alone, onStatement }: Wanted): Promise<Lent | undefined> {
  kept ??= openKept();
  const one = await kept;
  const anew = alone || (works && one.undone);
  const isTaken = one.open > 0 && (anew || one.worked !== works);
  if (one.alone || isTaken || (anew && !one.emptied)) return undefined;
  one.alone = alone;
  one.open++;
  one.worked = works;
  one.undone = !works || (one.undone && !anew);
  one.onStatement = onStatement;
  const owner = one.owner.em.getConnection();
  if (anew) await owner.execute('select test_start.again()');
  else for (const tasks of LEFT_BEHIND) await owner.execute(`delete from ${tasks}`);
  const application = new Application();
  return {
    productOrm: lend(one.product, application),
    orm: lend(one.owner, application),
    giveBack() {
      one.open--;
      one.alone = false;
    },
  };
}

async function openKept(): Promise<Kept> {
  const url = await migratedDatabase();
  const product = await productsOrm({ ...asApp(url), keeping: KEEPING, onStatement: (sql) => one.onStatement?.(sql) });
  const one: Kept = { product, owner: ownersOrm(url, product), open: 0, alone: false, worked: false, undone: false, emptied: false };
  const owner = one.owner.em.getConnection();
  // TEST_DATABASE_URL may be somebody else.
  const [role] = await owner.execute<{ rolsuper: boolean }[]>('select rolsuper from pg_roles where rolname = current_user');
  one.emptied = role!.rolsuper;
  if (one.emptied) await owner.execute(STARTING_AGAIN);
  return one;
}

/**
 * Notes the rows of a migrated database, and makes the function that brings it back to them. It deletes rows, because PostgreSQL would forget
 * its plans for a table that is truncated, and without triggers and foreign keys, which a superuser alone may leave out.
 */
const STARTING_AGAIN = `
  create schema test_start;
  do $do$
  declare
    one record;
    columns text;
    body text := 'perform set_config(''session_replication_role'', ''replica'', true);';
    is_filled bool;
  begin
    for one in
      select c.oid, c.relname from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'migration'
    loop
      execute format('select exists (select from public.%I)', one.relname) into is_filled;
      body := body || format(' if exists (select from public.%I) then delete from public.%1$I; end if;', one.relname);
      if is_filled then
        execute format('create table test_start.%I as table public.%1$I', one.relname);
        select string_agg(quote_ident(attname), ', ') into columns
          from pg_attribute where attrelid = one.oid and attnum > 0 and not attisdropped and attgenerated = '';
        body := body || format(' insert into public.%I (%s) overriding system value select %2$s from test_start.%1$I;', one.relname, columns);
      end if;
    end loop;
    execute format('create function test_start.again() returns void language plpgsql as %L', 'begin ' || body || ' end');
  end
  $do$`;

/** Returns an ORM of another application on the same connections. */
function lend(lent: MikroORM, application: Application): MikroORM {
  const orm = likeOrm(lent, ormSettings({ url: lent.config.get('clientUrl')!, entities: [] }), application);
  Object.assign(orm.driver, { connection: lent.driver.getConnection() });
  return orm;
}

/** Returns the owner's view of a database that the product has open. */
export const ownersOrm = (url: string, own: MikroORM): MikroORM => likeOrm(own, ormSettings({ url, entities: [] }), applicationOf(own.em));

/** Returns an ORM that takes over what another one knows of the entities. */
function likeOrm(other: MikroORM, settings: ReturnType<typeof ormSettings>, application: Application): MikroORM {
  // Two connections stay when nobody used them for ten seconds: their plans are worth more than what they hold.
  const pool = { ...settings.pool, min: 2 };
  const driverOptions = {
    ...settings.driverOptions,
    onPoolCreated(one: Pool) {
      settings.driverOptions.onPoolCreated(one);
      oldestFirst(one);
    },
  };
  const orm = new MikroORM({ ...settings, pool, driverOptions, discovery: { warnWhenNoEntities: false, skipSyncDiscovery: true } });
  const metadata = other.getMetadata();
  // Otherwise each would write, compile and warm up the same functions for a hundred entities.
  const written = { getHydrator: () => other.config.getHydrator(metadata), getComparator: () => other.config.getComparator(metadata) };
  Object.assign(orm.config, written);
  orm.driver.setMetadata(metadata);
  const em = Object.assign(orm.driver.createEntityManager() as MikroORM['em'], { global: true });
  joinApplication(em, application);
  return Object.assign(orm, { em, getMetadata: (() => metadata) as MikroORM['getMetadata'] });
}
