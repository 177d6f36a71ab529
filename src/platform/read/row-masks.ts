import type { EntityMetadata, EntityProperty } from '@mikro-orm/core';
import { type MaskSpec, readSpecOf, showsOwnCompanyOnly } from '../model/decorators.ts';
import { columnSql, fieldName } from './column-sql.ts';
import { type FieldDecisions, fieldDecisionsOf, type RowCondition } from './partner-fields.ts';

type Meta = EntityMetadata<unknown>;

/** The code that a mask adds to: the expressions of a row, the constants of its mapper, the parameters of its statement. */
interface Code {
  /** Adds an expression to the row. @returns its place in the mapper */
  add(expr: string): string;
  constant(value: unknown): string;
  /** The place of the companies that the read is for. */
  companies(): string;
  /** The rows of others are those that they share. */
  shared: boolean;
}

/** Properties that name the companies whose row it is. */
export function ownersOf(meta: Meta, { owners }: Pick<FieldDecisions, 'owners'>): readonly string[] {
  if (owners) return owners;
  return ['company', 'companyId'].filter((name) => meta.properties[name as never]).slice(0, 1);
}

/** Which values of one table's rows the reader sees, as expressions of the rows' mapper. */
export class RowMasks {
  readonly #meta: Meta;
  readonly #alias: string;
  readonly #code: Code;
  readonly #masked: ReadonlyMap<string, MaskSpec>;
  readonly #decisions: FieldDecisions | undefined;
  /** Properties that name the companies whose row it is; none where nothing of the row is kept. */
  readonly #owners: readonly string[];
  /** Whether the row is the reader's own, as code; undefined until something asks. */
  #owned: string | undefined;

  constructor(meta: Meta, alias: string, code: Code) {
    this.#meta = meta;
    this.#alias = alias;
    this.#code = code;
    this.#masked = readSpecOf(meta.class as Function).masked;
    this.#decisions = fieldDecisionsOf(meta.class as Function);
    this.#owners = this.#decisions ? ownersOf(meta, this.#decisions) : [];
  }

  /** The row belongs to one company, so rows of other companies can be recognized. */
  get hasOwner(): boolean {
    return this.#owners.length === 1;
  }

  /** The code that the mapper runs before the row's values. */
  preamble(): string {
    return this.#owned ? `const own = ${this.#owned};\n` : '';
  }

  /** The value if the viewer may see it; otherwise `nothing`, or an empty list, or what the mask says. */
  masked(name: string, code: string, nothing = 'null'): string {
    return this.passed(name, this.#shown(name, code, nothing), nothing);
  }

  /** The value if it is passed on to a reader of another company; otherwise `nothing`, or what was decided. */
  passed(name: string, code: string, nothing = 'null'): string {
    const decided = this.#decisions;
    const mask = this.#masked.get(name);
    if (
      !decided ||
      this.#owners.length === 0 ||
      decided.passed.has(name) ||
      (this.#code.shared && decided.shared.has(name)) ||
      (mask && showsOwnCompanyOnly(mask))
    )
      return code;
    const own = this.own();
    const place = decided.ownValues?.fields.indexOf(name) ?? -1;
    if (place >= 0) {
      const values = this.#code.add(this.#ofOthers('null', decided.ownValues!.sql));
      return `(${own} ? ${code} : ${values} === null ? ${JSON.stringify(decided.instead.get(name) ?? null)} : ${values}[${place}])`;
    }
    const part = decided.parts.get(name);
    if (part) return `(${own} ? ${code} : ${this.#code.constant(part)}(${code}, r.reader))`;
    const where = decided.where.get(name);
    const open = where ? ` || ${this.#code.add(this.#ofOthers('true', where))}` : '';
    const instead = decided.instead.get(name);
    const hidden =
      typeof instead === 'function'
        ? `${this.#code.constant(instead)}(${code}, r.reader)`
        : instead === undefined
          ? nothing
          : JSON.stringify(instead);
    return `(${own}${open} ? ${code} : ${hidden})`;
  }

  /** Asked once for a row, whatever is kept of it. */
  own(): string {
    this.#owned ??= this.#ownerColumns()
      .map((column) => `r.owns(${this.#code.add(column)})`)
      .join(' || ');
    return 'own';
  }

  #ownerColumns(): string[] {
    return this.#owners.map((owner) => {
      const prop = this.#meta.properties[owner as never] as EntityProperty;
      return prop.kind === 'scalar' ? columnSql(this.#alias, prop) : this.#columnOf(owner);
    });
  }

  /** An expression for rows of other companies; for the reader's rows it is not evaluated, and they have a constant. */
  #ofOthers(ofOwn: string, sql: RowCondition): string {
    const companies = this.#code.companies();
    const own = this.#ownerColumns().map((column) => `${column} = any(${companies})`);
    return `case when ${own.join(' or ')} then ${ofOwn} else (${sql(this.#alias, () => companies)}) end`;
  }

  #shown(name: string, code: string, nothing: string): string {
    const mask = this.#masked.get(name);
    if (!mask) return code;
    const hidden = mask.instead === undefined ? nothing : JSON.stringify(mask.instead);
    const seen = [
      ...(mask.site ? [`(r.siteIds === undefined || r.siteIds.includes(${this.#code.add(this.#columnOf(name))}))`] : []),
      ...(mask.whole ? [`((r.siteIds === undefined && !r.ownRecordsOnly) || r.viewerId === ${this.#code.add(`${this.#alias}.id`)})`] : []),
      ...(mask.also ? [`(r.can(${JSON.stringify(mask.also.permission)}) || !${this.#code.add(mask.also.of(this.#alias))})`] : []),
      ...(mask.site && Object.keys(mask).length === 1 ? [] : [this.#seen(mask)]),
    ];
    return `(${seen.join(' && ')} ? ${code} : ${hidden})`;
  }

  /** Whether the viewer sees a masked value by companies and permissions, as an expression of the mapper. */
  #seen(mask: MaskSpec): string {
    if (mask.sides) {
      const sides = Object.entries(mask.sides).map(([name, permission]) => {
        const column = this.#code.add(columnSql(this.#alias, this.#meta.properties[name as never] as EntityProperty));
        const may = permission === null ? '' : `r.can(${JSON.stringify(permission)}) && `;
        return `(${may}r.companyIds.includes(${column}))`;
      });
      if (mask.open) sides.push(this.#code.add(mask.open(this.#alias)));
      if (mask.holder) sides.push(this.#heldBy(mask, ''));
      return `(${sides.join(' || ')})`;
    }
    // Rates are the affair of the company itself, also when work was passed on to the reader.
    const owner = 'company' in this.#meta.properties ? 'company_id' : this.#meta.className === 'Company' ? 'id' : undefined;
    const own = owner ? ` && r.companyIds.includes(${this.#code.add(`${this.#alias}.${owner}`)})` : '';
    const held = mask.holder && mask.holder in this.#meta.properties ? ` || ${this.#heldBy(mask, own)}` : '';
    const can = mask.permission === undefined ? 'true' : `r.can(${JSON.stringify(mask.permission)})`;
    return `((${can}${own})${held})`;
  }

  /** Whether the viewer is the person of the mask's relation, and may see what is theirs. */
  #heldBy({ permission, holds = permission, holder }: MaskSpec, own: string): string {
    return `(r.can(${JSON.stringify(`${holds}:own`)})${own} && ${this.#code.add(this.#columnOf(holder!))} === r.viewerId)`;
  }

  #columnOf(property: string): string {
    return `${this.#alias}.${fieldName(this.#meta, property)}`;
  }
}
