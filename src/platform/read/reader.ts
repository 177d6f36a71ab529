import type { EntityMetadata } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { companyOf, viewerOf } from '../authz/authorization.ts';
import type { AnswerAhead } from '../commands/answer-ahead.ts';
import type { Context } from '../context.ts';
import { sendBehind } from '../database/connection/together.ts';
import { currentIds, isMergeable } from '../database/former-ids.ts';
import { currentScope, type Scope, withPartnerVisibility } from '../database/scope.ts';
import { bound, poolOf, readingWithin } from '../database/sql.ts';
import { Missing } from '../errors.ts';
import { isUuid } from '../ids.ts';
import type { Connection } from './connection.ts';
import { sortOf } from './document/nested-lists.ts';
import { type Asked, type Info, operationOf, type PlaceRead, type PlannedRead, planRead, type ReadAt } from './document/planned-read.ts';
import { readList } from './lists.ts';
import type { ListOptions, OneOptions, PageOptions } from './options.ts';
import { connectionAsked, isOfOneAnswer } from './pages.ts';
import { refuseUnknowable } from './past/list-as-of.ts';
import { pageAsOf } from './past/page-as-of.ts';
import { allowHistory, atOneMoment, deletedOfPast, valuesOfPast } from './past/reads-history.ts';
import type { Plan } from './plan.ts';
import type { PastRun } from './run.ts';
import type { PageSequence } from './sequence/page-sequence.ts';
import { type Ahead, recordAhead, statementsAhead } from './together/read-ahead.ts';
import { alongOf } from './together/read-along.ts';
import { rowsNoted } from './watched.ts';

export type { Where } from './run.ts';

type Entity<T> = abstract new () => T;

/** What was read, and by which plan. */
interface Rows {
  plan: Plan;
  rows: object[];
}

declare module '../context.ts' {
  interface Context {
    read: Reader;
    /** Records that a page of this read may have, where it is a part of an export; absent for the limit of pages. */
    rowsAtOnce?: number;
    /** The pages of an export, which follow each other. */
    sequence?: PageSequence;
  }
}

/** Reads what a selection asks for, in one statement for each root field (DESIGN section 4 "Reads are planned"). */
export class Reader {
  readonly #ctx: Context;
  readonly #at: ReadAt;
  /** In which all is read, if it is said. */
  readonly #transaction: EntityManager | undefined;
  /** The answer that was read in the message that committed the command. */
  #ahead: Ahead | undefined;

  constructor(ctx: Context, at: ReadAt, transaction?: EntityManager) {
    this.#ctx = ctx;
    this.#at = at;
    this.#transaction = transaction;
  }

  /** The same for another context. */
  as(ctx: Context): Reader {
    return new Reader(ctx, this.#at);
  }

  /** The same for another context, which reads where that context's EntityManager does: in its transaction. */
  within(ctx: Context): Reader {
    return new Reader(ctx, { ...this.#at, pool: () => poolOf(ctx.em) });
  }

  /** One visible record as its selection wants it; for a former id the record that stayed when it was merged. @throws Missing when it is absent or not visible. */
  async one<T>(entity: Entity<T>, info: Info, options: OneOptions): Promise<T> {
    if (!isUuid(options.id)) throw new Missing();
    const ahead = this.#takeAhead(info, options);
    if (ahead) return ahead as T;
    const companyIds = options.companyId ? [companyOf(this.#ctx, options.companyId)] : viewerOf(this.#ctx).companyIds;
    const { asOf, where = [] } = options;
    const asked = { companyIds, id: options.id, shared: options.shared, where, ...(asOf ? { at: asOf } : {}) };
    // Conditions on values that may have been otherwise are asked of the values at that time.
    const now = asOf ? { ...asked, where: where.filter(({ changes }) => !changes) } : asked;
    const found = await this.#run({ entity, info, kind: 'one', asked: now });
    if (found === undefined) {
      const current =
        isMergeable(entity) && !options.literalId ? (await currentIds(this.#ctx, [options.id])).get(options.id.toLowerCase()) : undefined;
      if (current) return this.one(entity, info, { ...options, id: current });
      if (!asOf) throw new Missing();
    }
    if (!asOf) return found as T;
    const past = { id: options.id, companyIds, at: asOf };
    const values =
      found === undefined
        ? await deletedOfPast(this.#ctx, this.#ask, this.#metaOf(entity), past)
        : { was: await valuesOfPast(this.#ctx, this.#ask, this.#metaOf(entity), past) };
    const then = await this.#run({ entity, info, kind: 'one', asked: { ...asked, ...values } });
    if (then === undefined) throw new Missing();
    return then as T;
  }

  /**
   * The same read of a record that a command writes, to be made in the message that commits it; `one` then returns what was read.
   * @param id that of the record that the command returns unless given
   */
  ahead(entity: Entity<unknown>, info: Info, id?: string): AnswerAhead {
    const scope = currentScope();
    const idOf = (result: unknown) => id ?? (result as { id?: unknown } | null | undefined)?.id;
    const arrived = (read: Ahead) => {
      this.#ahead = read;
    };
    return {
      statements: (result) =>
        // An error of the read undoes no command: the answer reads again, and reports it.
        statementsAhead(this.#ctx, this.#at, { entity, info, id: idOf(result), scope }, arrived).catch(() => []),
    };
  }

  #takeAhead(info: Info, options: OneOptions): unknown {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    return recordAhead(ahead, info, options);
  }

  /** A page of one company's records as a connection. */
  async page<T>(entity: Entity<T>, info: Info, options: PageOptions): Promise<Connection<T>> {
    const companyId = companyOf(this.#ctx, options.companyId);
    // A condition on what the viewer may see changes with the family, so its value is not part of the name; a condition on one record is
    // part of the list's identity.
    // A page goes on at the instant at which it began.
    const name = [
      ...(options.where ?? []).map(({ key, value }) => `${key}=${typeof value === 'string' ? value : ''}`),
      ...(options.asOf ? [`as of ${options.asOf.toISOString()}`] : []),
    ].join();
    const root = await readList(entity, options, this.#ctx, {
      application: this.#at.application,
      companyId,
      name,
      written: sortOf(info.fieldNodes[0]!, this.#ctx),
    });
    const companyIds = options.family ? viewerOf(this.#ctx).companyIds : [companyId];
    const readsAll = this.#ctx.rowsAtOnce || options.asOf || connectionAsked(info.fieldNodes, operationOf(info)).count;
    const near = (readsAll ? undefined : options.near?.(root)) ?? [];
    const asked = { companyIds, shared: options.shared, where: [...(options.where ?? []), ...near], root };
    if (options.asOf) return (await this.#pageAsOf(entity, info, asked, options.asOf)) as Connection<T>;
    return isOfOneAnswer((await this.#run({ entity, info, kind: 'page', asked, listing: { below: options.below } })) as Connection<T>);
  }

  /** A page of the company's own records as they were. */
  async #pageAsOf(entity: Function, info: Info, asked: Asked & Required<Pick<Asked, 'root'>>, at: Date): Promise<unknown> {
    allowHistory(this.#ctx);
    const meta = this.#metaOf(entity);
    refuseUnknowable(meta, asked.root, connectionAsked(info.fieldNodes, operationOf(info)));
    const readBy = (reader: Reader) => {
      const run = (past: Omit<PastRun, 'at'>) => reader.#run({ entity, info, kind: 'page', asked: { ...asked, past: { at, ...past } } });
      return pageAsOf({ ask: reader.#ask, run }, { meta, at, ...asked });
    };
    // An export is in such a transaction already.
    if (this.#ctx.rowsAtOnce) return readBy(this);
    return atOneMoment(this.#ctx, (em) => readBy(this.#inTransaction(em)));
  }

  #inTransaction(em: EntityManager): Reader {
    const ctx = { ...this.#ctx, em: readingWithin(em) };
    return new Reader(ctx, { ...this.#at, pool: () => poolOf(ctx.em) }, em);
  }

  /** All records that meet the conditions, oldest first unless an order is given: for lists that are short, or end at `most`. */
  async list<T>(entity: Entity<T>, info: Info, options: ListOptions): Promise<T[]> {
    const { companyId, where, shared, order, most, few, at } = options;
    const companyIds = companyId ? [companyOf(this.#ctx, companyId)] : viewerOf(this.#ctx).companyIds;
    const listing = { order, most, few, ...at };
    return (await this.#run({ entity, info, kind: 'list', asked: { companyIds, where, shared }, listing })) as T[];
  }

  async #run(read: PlaceRead): Promise<unknown> {
    const planned = await planRead(this.#ctx, this.#at, read);
    const { plan, run, open, seesPartners } = planned;
    const { entity } = read;
    const isWatched = viewerOf(this.#ctx).realActor && (!run.past || run.past.stage === 'page');
    const scope = currentScope();
    const rowsOf = async (): Promise<Rows> => {
      if (open) return { plan, rows: [{ rows: await open.rows(plan, run) }] };
      if (isWatched) return { plan, rows: await rowsNoted(this.#ctx, entity, plan, run, this.#transaction) };
      return this.#rows(entity, planned, scope);
    };
    const found = await (seesPartners ? withPartnerVisibility(rowsOf, seesPartners) : rowsOf());
    if (found.rows.length === 0) return undefined;
    const mapped = found.plan.read(found.rows[0] as Record<string, unknown>, run);
    // The driver's result is old by now, and would keep the rows (`letGoOf`).
    found.rows.length = 0;
    return mapped;
  }

  async #rows(entity: Function, planned: PlannedRead, scope: Scope): Promise<Rows> {
    const { plan, run, statement, narrowing } = planned;
    const pool = await this.#at.pool();
    const query = async (sent: Plan): Promise<Rows & { isWhole: boolean }> => {
      const config = statement(sent);
      const keep: (() => void)[] = [];
      if (run.id && !run.was)
        sendBehind(
          config.values!,
          alongOf({ ctx: this.#ctx, entity, id: run.id, plan, scope }, (one) => void keep.push(one)),
        );
      const { rows } = await pool.query(config);
      const isWhole = rows.length === 0 || (narrowing?.learn(sent, run.reader, rows[0]) ?? true);
      if (isWhole) for (const each of keep) each();
      return { plan: sent, rows, isWhole };
    };
    const found = await query(narrowing?.planFor(run.reader) ?? plan);
    return found.isWhole ? found : query(plan);
  }

  readonly #ask = async <R extends object>(sql: string, values: unknown[]): Promise<R[]> =>
    (await (await this.#at.pool()).query<R>(sql, bound(sql, values))).rows;

  #metaOf(entity: Function): EntityMetadata<unknown> {
    return this.#at.metadata.get(entity as never) as EntityMetadata<unknown>;
  }
}
