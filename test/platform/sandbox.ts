import { Entity, ManyToOne, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { MikroORM, Ref } from '@mikro-orm/postgresql';
import { CreatePlatform } from '../../migrations/202611222000-create-platform.ts';
import { AuditEntry } from '../../src/platform/commands/audit.entity.ts';
import { Audited } from '../../src/platform/commands/audit.ts';
import { OutboxEvent } from '../../src/platform/commands/outbox.entity.ts';
import { Transition } from '../../src/platform/commands/transition.entity.ts';
import type { Context, Viewer } from '../../src/platform/context.ts';
import { createOrm } from '../../src/platform/database/orm.ts';
import { setTenant } from '../../src/platform/database/tenant.ts';
import { type Decimal, DecimalType } from '../../src/platform/decimal.ts';
import { newId } from '../../src/platform/ids.ts';
import { Tenant } from '../../src/platform/model/decorators.ts';
import { defineAccess } from '../../src/platform/read/access.ts';

/** A little world with tables of its own, so that the platform is tested without any domain. */
@Entity({ tableName: 'sand_company' })
export class SandCompany {
  @PrimaryKey({ type: 'uuid' }) id: string = newId();
  @Property({ type: 'text' }) name!: string;
}

@Tenant()
@Audited({ except: ['secret'] })
@Entity({ tableName: 'sand_heap' })
export class SandHeap {
  @PrimaryKey({ type: 'uuid' }) id: string = newId();
  @ManyToOne(() => SandCompany, { ref: true }) company!: Ref<SandCompany>;
  @ManyToOne(() => SandHeap, { ref: true, nullable: true }) neighbour?: Ref<SandHeap> | null;
  @Property({ type: 'text' }) name!: string;
  @Property({ type: 'text' }) state: string = 'created';
  @Property({ type: 'text', nullable: true }) secret?: string | null;
  @Property({ type: DecimalType, nullable: true }) weight?: Decimal | null;
  @Property({ type: 'uuid', nullable: true }) lentTo?: string | null;
  @Property({ type: 'integer', version: true }) version!: number;
  @Property({ type: 'timestamptz', length: 6, onUpdate: () => new Date() }) updatedAt: Date = new Date();
}

defineAccess(SandHeap, {
  subcontracted: (t, p) => `exists (select 1 from sand_company c where c.id = ${t}.lent_to and c.id = any(${p}))`,
}).register();

const TABLES = `
  create table sand_company (id uuid primary key, name text not null);
  create table sand_heap (
    id uuid primary key, company_id uuid not null references sand_company, neighbour_id uuid references sand_heap, name text not null, state text not null,
    secret text, weight numeric(18,4), lent_to uuid, version int not null default 1, updated_at timestamptz(6) not null,
    constraint sand_heap_name_key unique (company_id, name));`;

export async function openSandbox(databaseUrl: string): Promise<MikroORM> {
  const orm = await createOrm({ url: databaseUrl, entities: [SandCompany, SandHeap, OutboxEvent, AuditEntry, Transition] });
  await run(orm, TABLES);
  await addPlatformTables(orm);
  return orm;
}

/** Adds the tables that know no domain: those of commands, of idempotency keys, of outgoing messages. */
async function addPlatformTables(orm: MikroORM): Promise<void> {
  const migration = new CreatePlatform(orm.em.getDriver() as never, orm.config as never);
  await migration.up();
  for (const sql of migration.getQueries()) await run(orm, String(sql));
}

export function run<T = unknown>(orm: MikroORM, sql: string, params: unknown[] = []): Promise<T[]> {
  return orm.em.getConnection().execute<T[]>(sql, params);
}

export interface World {
  orm: MikroORM;
  mine: SandCompany;
  child: SandCompany;
  foreign: SandCompany;
}

/** Three companies of their own for one test: a viewer's, its child's and a stranger's. */
export async function makeWorld(orm: MikroORM): Promise<World> {
  const [mine, child, foreign] = ['mine', 'child', 'foreign'].map((name) => Object.assign(new SandCompany(), { name }));
  const world = { orm, mine, child, foreign } as World;
  await orm.em.fork().persist([world.mine, world.child, world.foreign]).flush();
  return world;
}

export async function addHeap(
  world: World,
  company: SandCompany,
  more: Partial<{ name: string; lentTo: string; secret: string }> = {},
): Promise<string> {
  const id = newId();
  await run(
    world.orm,
    'insert into sand_heap (id, company_id, name, state, secret, lent_to, updated_at) values (?, ?, ?, ?, ?, ?, now())',
    [id, company.id, more.name ?? id, 'created', more.secret ?? null, more.lentTo ?? null],
  );
  return id;
}

export function contextOf(world: World, more: Partial<Viewer> = {}): Context {
  const viewer: Viewer = {
    type: 'User',
    id: newId(),
    name: 'Ada Gravel',
    companyId: world.mine.id,
    companyIds: [world.mine.id, world.child.id],
    receivesWork: false,
    roles: [],
    can: (permission) => permission === 'edit_heap',
    ...more,
  };
  const em = world.orm.em.fork();
  setTenant(em, viewer);
  return { requestId: 'r-1', language: 'en', viewer, em, memo: new Map(), read: undefined as never };
}
