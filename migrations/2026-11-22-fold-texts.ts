import { Migration } from '@mikro-orm/migrations';
import { BLANKS, SMALL, UNKNOWN } from '../src/platform/fold-letters.ts';
import { StartError } from '../src/platform/start-error.ts';

/** What the importer finds by name. */
const NAMED = ['account', 'equipment_type', 'material', 'project', 'site'];
/** Names that one active record of a company has, and which are chosen by. */
const UNIQUE = ['add_on', 'compliance_document_type', 'department', 'iam_role', 'label', 'service_class', 'traffic_control_plan'];

/**
 * Texts that say who or what is meant are compared by one fold, which the product and the database have alike whatever the database's
 * locale: `lower` made an i of an İ, where JavaScript did not, so that one person answered to addresses that were counted as different ones.
 * As kept columns, because below row-level security PostgreSQL may not ask an index of an expression.
 */
export class FoldTexts extends Migration {
  override async up(): Promise<void> {
    const [server] = await this.execute(`select current_setting('server_encoding') as encoding`);
    if (server!.encoding !== 'UTF8') throw new StartError(`The database is kept in ${server!.encoding}: make it with the encoding UTF8.`);
    const small = (text: string) => `translate(${text}, '${[...SMALL.keys()].join('')}', '${[...SMALL.values()].join('')}')`;
    // The same as `foldText`. Not strict, so that PostgreSQL writes it into the statement instead of calling it.
    await this.execute(`create function fold_text(text) returns text language sql immutable parallel safe return btrim(case
      when octet_length($1) = length($1) then lower($1 collate "C")
      when $1 ~ '${UNKNOWN}' collate "C" then ${small('$1')}
      else normalize(${small('normalize($1, NFD)')}, NFC) end, '${BLANKS}')`);
    await this.#refuseTwins();

    await this.execute(`alter table app_user add column match_email text generated always as (fold_text(email)) stored`);
    await this.execute('drop index app_user_email_key, app_user_email_idx');
    // Two active people with one address could not be told apart when they sign in.
    await this.execute('create unique index app_user_email_key on app_user (match_email) where discarded_at is null and not unclaimed');
    // Whom somebody may be who signs in, and the people of a batch of imports.
    await this.execute('create index app_user_email_idx on app_user (match_email) where match_email is not null');

    for (const table of NAMED) {
      await this.execute(`alter table ${table} drop column match_name`);
      await this.execute(`alter table ${table} add column match_name text generated always as (fold_text(name)) stored`);
      await this.execute(`create index ${table}_match_name_idx on ${table} (company_id, match_name)`);
    }
    await this.execute('drop index company_name_idx');
    await this.execute('alter table company add column match_name text generated always as (fold_text(legal_name)) stored');
    // Whether a business that is invited is here already.
    await this.execute('create index company_match_name_idx on company (match_name) where discarded_at is null');

    for (const table of UNIQUE) {
      await this.execute(`drop index ${table}_name_key`);
      // Nobody looks for a record by it: the index only refuses the second one.
      await this.execute(`create unique index ${table}_name_key on ${table} (company_id, fold_text(name)) where ${activeOf(table)}`);
    }
  }

  /** Only people can tell which of two keeps what is one from now on. */
  async #refuseTwins(): Promise<void> {
    const twins: string[] = [];
    const find = async (table: string, what: string, where: string, of = '') => {
      const rows = (await this.execute(`select string_agg(${what} || ' (' || id || ')', ', ' order by created_at, id) as texts
        from ${table} where ${where} group by ${of}fold_text(${what}) having count(*) > 1`)) as { texts: string }[];
      twins.push(...rows.map(({ texts }) => `${table}: ${texts}`));
    };
    await find('app_user', 'email', 'email is not null and discarded_at is null and not unclaimed');
    for (const table of UNIQUE) await find(table, 'name', activeOf(table), 'company_id, ');
    if (twins.length === 0) return;
    throw new StartError(
      `These records have e-mail addresses or names that count as one from this version on: ${twins.join('; ')}. Change or discard all but one of each with the version before, then start again.`,
    );
  }
}

const activeOf = (table: string): string => (table === 'iam_role' ? 'company_id is not null' : 'discarded_at is null');
