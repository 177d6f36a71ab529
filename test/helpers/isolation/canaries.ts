import type { EntityMetadata, EntityProperty } from '@mikro-orm/core';
import { type GraphQLSchema, getNamedType, isEnumType, isObjectType } from 'graphql';
import { entities } from '../../../src/app/rooms.ts';
import type { TestApp } from '../app.ts';

/** Columns that have a meaning for the product itself, or are counted by it. */
const MEANT =
  /^(time_zone|language|color|percentage|rebill_percentage|platform_id|held_from|paused_from|state|ordinality|version|link|number|priority|key|preview_attempts|permission_toggles|usage_minutes|caused_by|confidence|price|bill_surcharge|lag_weeks|system|username|weekday|fuel_warnings)$/;
/** Records of signing in, sending and importing, which nobody else may see in any case. */
const OTHER_RECORDS =
  /^(machine|user_session|compliance|sso|credential|device_token|import|ingest|outbox|audit|transition|bulk|direct_upload|idempotency|impersonation|invitation)/;

/** Digits within a random id are no number. */
const NUMBER = /(?<![\w.-])(7\d{5}|\d+\.73\d{6}|\d{4}\.7351)(?![\w.-])/g;

/** Values that show in every answer which column of whose record they come from. */
export class Canaries {
  readonly #app: TestApp;
  readonly #schema: GraphQLSchema;
  /** By the value of a number, the column in which it was planted. */
  readonly #numbers = new Map<string, string>();
  /** For contacts, people and accounts, which one it is, by the end of its id. */
  readonly #named = new Map<string, string>();
  readonly #keptIds = new Map<string, string>();
  readonly #ids = new Map<string, string>();

  constructor(app: TestApp, schema: GraphQLSchema) {
    this.#app = app;
    this.#schema = schema;
  }

  /** Names the record, in addition to its columns. */
  name(what: string, id: string): void {
    this.#named.set(id.slice(-12), `[${what}]`);
  }

  /** Adds an id that no answer to others may contain. */
  keep(what: string, id: string): void {
    this.#ids.set(what, id);
    this.#keptIds.set(what, id);
  }

  /** Adds an id for requests. */
  note(what: string, id: string): void {
    this.#ids.set(what, id);
  }

  idOf(what: string): string {
    const id = this.#ids.get(what);
    if (!id) throw new Error(`there is no ${what}`);
    return id;
  }

  /** Returns the value that is written into a column of a record. */
  static of(whose: string, column: string, id: string): string {
    return `canary:${whose}:${column}:${id.slice(-12)}`;
  }

  /** Writes into every column of every record of a company where it comes from. */
  async plant(whose: string, companyId: string): Promise<void> {
    const all = [...this.#app.orm.getMetadata().getAll().values()] as EntityMetadata<unknown>[];
    for (const meta of all) {
      const props = meta.props as EntityProperty[];
      const owned =
        meta.className === 'Company' ? 'id' : props.find((one) => one.fieldNames?.[0] === 'company_id' && !one.embedded) && 'company_id';
      if (
        !owned ||
        !meta.class ||
        OTHER_RECORDS.test(meta.tableName) ||
        !(entities as readonly Function[]).includes(meta.class as Function)
      )
        continue;
      const type = this.#schema.getType(meta.className);
      const values = props.flatMap((prop): string[] => {
        const column = prop.fieldNames?.[0];
        if (!column || prop.kind !== 'scalar' || prop.primary || prop.persist === false || MEANT.test(column)) return [];
        const field = isObjectType(type) ? type.getFields()[prop.name] : undefined;
        if (field && isEnumType(getNamedType(field.type))) return [];
        if (/_type$|unit_of_measure$|^pausedFrom/.test(column) && !/mime|logo/.test(column)) return [];
        const mark = `'canary:${whose}:${meta.tableName}.${column}:' || right(id::text, 12)`;
        const columnType = prop.columnTypes?.[0] ?? '';
        const number = (value: string) => {
          this.#numbers.set(value, `${whose}:${meta.tableName}.${column}`);
          return [`"${column}" = ${value}`];
        };
        if (columnType === 'text') return [`"${column}" = ${mark}`];
        if (columnType === 'text[]') return [`"${column}" = array[${mark}]`];
        if (['preferences', 'payload'].includes(column)) return [`"${column}" = json_build_object(${mark}, 1)`];
        // The last digit is no zero, which answers leave out.
        if (/^numeric\(15/.test(columnType)) return number(`${this.#next() % 80}.73${String(this.#numbers.size).padStart(5, '0')}1`);
        if (/^numeric/.test(columnType)) return number(`${1000 + this.#next()}.7351`);
        return /^int/.test(columnType) ? number(String(700_000 + this.#next())) : [];
      });
      if (values.length > 0)
        await this.#app.orm.em.execute(`update "${meta.tableName}" set ${values.join(', ')} where ${owned} = ?`, [companyId]);
    }
    await this.#app.orm.em.execute('update app_user set last_ping_at = now() where company_id = ?', [companyId]);
  }

  #next(): number {
    return this.#numbers.size + 1;
  }
  /** Returns whose columns an answer contains, as `owner:project.notes`, and which of the kept ids. */
  in(text: string): string[] {
    const marks = [...text.matchAll(/canary:(\w+:\w+)\.(\w+):(\w{12})/g)].map(
      ([, table, column, id]) => `${table}${this.#named.get(id!) ?? ''}.${column}`,
    );
    const counted = [...text.matchAll(NUMBER)].flatMap(([value]) => this.#numbers.get(value) ?? []);
    return [...marks, ...counted, ...[...this.#keptIds].flatMap(([what, id]) => (text.includes(id) ? [`owner:id of ${what}`] : []))];
  }
}
