import type { EntityManager } from '@mikro-orm/postgresql';
import type { Purpose } from '../database/scope.ts';
import { queryAs } from '../database/sql.ts';
import { claimSetSql, claimSql, type Leased } from '../queue/lease-queue.ts';
import type { Records } from './records.ts';
import type { TxContext } from './transact.ts';

/** Work on one record that follows from a commit, and is done after it by a worker. */
export interface FollowUp extends Leased {
  /** The record. */
  id: string;
  companyId: string;
  /** Counts the events of the record for which the work is to be done. */
  asked: number;
}

const COLUMNS = { due: 'due_at', attempts: 'attempts' };
const CLAIMED = 'id, company_id as "companyId", asked, attempts';

/**
 * A table of follow-ups: `id` of the record, `company_id`, `due_at`, `attempts`, `asked`. A record has at most one row, so what happens to it
 * ten times before the worker comes is done once.
 */
export class FollowUps {
  /** The end of an `insert into` it: makes a row due that exists, also one that is being worked at. */
  readonly again: string;
  readonly #table: string;
  readonly #purpose: Purpose;
  readonly #noted = new WeakMap<Records, Set<string>>();

  /** @param purpose may select, update and delete rows of the table */
  constructor(table: string, purpose: Purpose) {
    this.#table = table;
    this.#purpose = purpose;
    this.again = `on conflict (id) do update set due_at = now(), attempts = 0, asked = ${table}.asked + 1`;
  }

  /**
   * Has records worked on that the transaction does not change. The consequence that fills the table asks for them together with its own, because
   * transactions that write rows of it in several steps would wait for each other.
   */
  note({ tx }: TxContext, ids: readonly string[]): void {
    this.#noted.set(tx, new Set([...(this.#noted.get(tx) ?? []), ...ids]));
  }

  /** Returns the records that were noted in a transaction. */
  notedIn = (changes: readonly Records[]): string[] => changes.flatMap((records) => [...(this.#noted.get(records) ?? [])]);

  /** Runs a statement for the purpose, in no transaction. */
  query = async <R extends object>(em: EntityManager, sql: string, values: unknown[]): Promise<R[]> =>
    queryAs<R>(this.#purpose, em, sql, values);

  /** Claims at most `most` due follow-ups for `seconds`. */
  claim(em: EntityManager, most: number, seconds: number): Promise<FollowUp[]> {
    return this.query<FollowUp>(em, claimSql(this.#table, COLUMNS, CLAIMED), [most, seconds]);
  }

  /** Claims follow-ups that are worked together: new ones, or else one alone that was tried before. */
  claimSet(em: EntityManager, most: number, seconds: number): Promise<FollowUp[]> {
    return this.query<FollowUp>(em, claimSetSql(this.#table, COLUMNS, CLAIMED), [most, seconds]);
  }

  /**
   * Ends follow-ups, apart from those to whose record something happened meanwhile. One that somebody asks for at this moment is left to its lease, so
   * that nobody waits for each other's rows.
   */
  async end(em: EntityManager, ...done: readonly FollowUp[]): Promise<void> {
    if (done.length === 0) return;
    await this.query(
      em,
      // Each is looked up by itself: the table is planned for one row, and as a join all that waits was read for them.
      `delete from ${this.#table} where id = any (array(select t.id from unnest($1::uuid[], $2::int[]) d (id, asked), lateral (
         select w.id from ${this.#table} w where w.id = d.id and w.asked = d.asked for update skip locked) t))`,
      [done.map(({ id }) => id), done.map(({ asked }) => asked)],
    );
  }

  /** Makes a follow-up due again after `seconds`, unless something happened to its record meanwhile: then it is due already. */
  async postpone(em: EntityManager, { id, asked }: FollowUp, seconds: number): Promise<void> {
    await this.query(em, `update ${this.#table} set due_at = now() + $2 * interval '1 second' where id = $1 and asked = $3`, [
      id,
      seconds,
      asked,
    ]);
  }

  /**
   * Has a record looked at again after `seconds`, with all tries before it, or at once if something happened to it meanwhile. One that failed too
   * often is tried again tomorrow.
   */
  async putOff(em: EntityManager, { id, asked }: FollowUp, seconds = 86_400): Promise<void> {
    await this.query(em, `update ${this.#table} set due_at = now() + $3 * interval '1 second', attempts = 0 where id = $1 and asked = $2`, [
      id,
      asked,
      seconds,
    ]);
  }
}
