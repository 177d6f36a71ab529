import { companiesLiteral } from '../database/scope.ts';
import { readSpecOf } from '../model/decorators.ts';
import { limitsOn } from '../model/limits.ts';
import { fieldName } from './column-sql.ts';
import { fieldDecisionsOf } from './partner-fields.ts';
import { ownersOf } from './row-masks.ts';
import type { Meta, PlanRequest, Run, Where } from './run.ts';

/** A statement in the making: its aliases, its parameters as functions of a run, and which rows of a table the viewer sees. */
export class Statement {
  readonly #request: PlanRequest;
  readonly #params: ((run: Run) => unknown)[] = [];
  #aliases = 0;
  #aboutWork = false;
  #companies: string | undefined;

  constructor(request: PlanRequest) {
    this.#request = request;
  }

  values(run: Run): unknown[] {
    return this.#params.map((param) => param(run));
  }

  /** Some record of it is work that may be passed on, and names records of the companies that take part. */
  get aboutWork(): boolean {
    return this.#aboutWork;
  }

  /** Every table of the plan comes by here. */
  meet(meta: Meta): void {
    if (readSpecOf(meta.class as Function).tenant?.subcontracted) this.#aboutWork = true;
  }

  nextAlias(): string {
    return `t${this.#aliases++}`;
  }

  /** A parameter's place in the SQL. @param cast its PostgreSQL type */
  param(value: (run: Run) => unknown, cast: string): string {
    return `$${this.#params.push(value)}::${cast}`;
  }

  /** The conditions on the root's rows: what the viewer may see, and what the resolver adds. */
  conditions(meta: Meta, t: string): string[] {
    return [...this.visible(meta, t, true), ...this.#added(t, () => true)];
  }

  /** Of these, those that hold of a row at any time. */
  lastingConditions(meta: Meta, t: string): string[] {
    return [...this.visible(meta, t, true), ...this.#added(t, ({ changes }) => !changes)];
  }

  /** The others, which a row may meet now and not have met then. */
  changingConditions(t: string): string[] {
    return this.#added(t, ({ changes }) => changes === true);
  }

  #added(t: string, which: (where: Where) => boolean): string[] {
    return this.#request.run.where.flatMap((where, at) =>
      which(where)
        ? [
            where.sql(
              t,
              this.param((run) => run.where[at]!.value, where.cast),
            ),
          ]
        : [],
    );
  }

  /** Nested lists of passed-on work show a vendor only what was passed to it, and limited people what is theirs. */
  subcontracted(meta: Meta, t: string): string[] {
    const { tenant, atSites, ofPerson, shown } = readSpecOf(meta.class as Function);
    const limited =
      (atSites && this.#request.run.siteIds) || (ofPerson && this.#isForOwn(meta.class as Function)) || this.#isWorkUnread(meta);
    if (limited || (this.#request.receivesWork && tenant?.subcontracted)) return this.visible(meta, t);
    return shown ? [shown(t, undefined, this.#request.run.isInSequence)] : [];
  }

  /** The rows of a table that the viewer sees. `t.company_id = $1` for one company, so that the index serves the page in order; `= any` for several. */
  visible(meta: Meta, t: string, root = false): string[] {
    if (this.#isWorkUnread(meta)) return ['false'];
    const { tenant } = readSpecOf(meta.class as Function);
    const limits = this.limits(meta.class as Function, t, root);
    if (!tenant) return limits;
    const many = this.#request.run.companyIds.length > 1;
    const own = many ? `${t}.company_id = any(${this.companies()})` : `${t}.company_id = ${this.param((run) => run.companyIds[0], 'uuid')}`;
    // A record that is not the company's own has no past.
    const isPast = root && this.#request.run.past !== undefined;
    const others = isPast
      ? []
      : [
          ...(this.#request.receivesWork && tenant.subcontracted ? [tenant.subcontracted] : []),
          ...(this.#request.run.shared && tenant.shared ? [tenant.shared] : []),
        ];
    if (others.length === 0) return [own, ...limits];
    const companies = this.companies();
    return [`(${[own, ...others.map((other) => other(t, companies))].join(' or ')})`, ...limits];
  }

  /** The table has work, which is passed on, and the viewer reads none. */
  #isWorkUnread(meta: Meta): boolean {
    return this.#request.run.readsNoWork === true && readSpecOf(meta.class as Function).tenant?.subcontracted !== undefined;
  }

  /** SQL of whether a row is the reader's, if the list may contain rows of other companies; undefined if it contains none. */
  own(meta: Meta, t: string): (() => string) | undefined {
    const { tenant } = readSpecOf(meta.class as Function);
    const decided = fieldDecisionsOf(meta.class as Function);
    const others = !tenant || (this.#request.receivesWork && tenant.subcontracted) || (this.#request.run.shared && tenant.shared);
    const owners = decided && others ? ownersOf(meta, decided) : [];
    if (owners.length === 0) return undefined;
    return () => `(${owners.map((owner) => `${t}.${fieldName(meta, owner)} = any(${this.companies()})`).join(' or ')})`;
  }

  /** The place of the companies that the read is for. */
  companies(): string {
    this.#companies ??= this.param((run) => companiesLiteral(run.companyIds), 'uuid[]');
    return this.#companies;
  }

  /** The viewer's limits in addition to companies: some sites, own records. */
  limits(entity: Function, t: string, root = false): string[] {
    const { siteIds, past, at, isInSequence } = this.#request.run;
    return limitsOn(entity, t, {
      whole: isInSequence,
      // What records name and have is as it is now.
      at: root && (past ?? at) ? () => this.param((run) => run.past?.at ?? run.at, 'timestamptz') : undefined,
      sites: siteIds && (() => this.param((run) => run.siteIds, 'uuid[]')),
      person: this.#isForOwn(entity, root) ? () => this.param((run) => run.viewerId, 'uuid') : undefined,
    });
  }

  /** The viewer reads own rows only, of all entities or of this one. */
  #isForOwn(entity: Function, root = false): boolean {
    const { ownRecordsOnly, forOwn = [] } = this.#request.run;
    const { allBy } = readSpecOf(entity);
    if (ownRecordsOnly && !(root && ownRecordsOnly === 'below')) return true;
    return allBy !== undefined && forOwn.includes(allBy);
  }
}
