import type { EntityManager } from '@mikro-orm/postgresql';
import type { FieldNode } from 'graphql';
import { queryOnceIn } from '../../database/sql.ts';
import type { List } from '../lists.ts';
import type { Plan } from '../plan.ts';
import type { Run } from '../run.ts';

/** A row as PostgreSQL sends it: its values, the keys of its order and its id. */
type Row = unknown[];

/**
 * Has PostgreSQL plan for all rows of a cursor, and not for its first ones. Not for exactly all: then it would write the rows before it sorts them, and
 * sort what it wrote. Its first rows may take as long as all rows of the list take to be joined and sorted: two minutes, if statements have a limit at all.
 */
const FOR_ALL = `select set_config('cursor_tuple_fraction', '0.999', true),
  set_config('statement_timeout', case when current_setting('statement_timeout') = '0' then '0' else '120s' end, true)`;
const CURSOR = 'haulgate_rows';

/**
 * The pages of a list that follow each other in one transaction, as those of an export do. They come from a cursor of PostgreSQL, so that the list is
 * planned, sorted and joined with other tables once, and not for each page. The next rows are fetched while those before them are worked on.
 */
export class PageSequence {
  readonly #em: EntityManager;
  #opened: OpenList | undefined;

  /** @param em in whose transaction the pages are read */
  constructor(em: EntityManager) {
    this.#em = em;
  }

  /**
   * The list of which a page is the first one, or the one behind the page that was read last.
   * @param place the field of the document that asks for the list
   * @returns undefined for a page of another list, which is read by itself
   */
  listOf(place: FieldNode, { after }: List): OpenList | undefined {
    this.#opened ??= new OpenList(this.#em, place);
    return this.#opened.isNext(place, after?.keys) ? this.#opened : undefined;
  }
}

/** A list whose rows a cursor has. */
class OpenList {
  readonly #em: EntityManager;
  readonly #place: FieldNode;
  /** The plan of all of its pages. */
  plan: Plan | undefined;
  /** The keys of the last row that was shown. */
  #last: string[] | undefined;
  /** The rows that were fetched and not shown. */
  #left: Row[] = [];
  #next: Promise<Row[]> | undefined;

  constructor(em: EntityManager, place: FieldNode) {
    this.#em = em;
    this.#place = place;
  }

  isNext(place: FieldNode, keys: readonly string[] | undefined): boolean {
    if (!this.plan) return true;
    return place === this.#place && this.#last !== undefined && keys?.join('\n') === this.#last.join('\n');
  }

  /** The rows of the next page, and the one behind it if there is one. */
  async rows(plan: Plan, run: Run): Promise<Row[]> {
    const { limit } = run.root!;
    if (!this.plan) {
      this.plan = plan;
      await queryOnceIn(this.#em, FOR_ALL);
      await queryOnceIn(this.#em, `declare ${CURSOR} no scroll cursor for ${plan.text}`, plan.values(run));
      this.#left = await this.#fetch(limit + 1);
    } else if (this.#next) this.#left.push(...(await this.#next));
    const rows = this.#left;
    this.#next = undefined;
    this.#left = rows.slice(limit);
    this.#last = rows[limit - 1]?.slice(1) as string[] | undefined;
    if (this.#left.length > 0) {
      this.#next = this.#fetch(limit);
      // An error of it is thrown when it is asked for.
      this.#next.catch(() => undefined);
    }
    return rows;
  }

  async #fetch(count: number): Promise<Row[]> {
    return (await queryOnceIn<{ row: Row }>(this.#em, `fetch ${count} from ${CURSOR}`)).map(({ row }) => row);
  }
}
