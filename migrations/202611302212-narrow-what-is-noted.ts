import { createHash } from 'node:crypto';
import { Migration } from '@mikro-orm/migrations';

/** When a preview is due and how often it was tried: no record shows that. */
const QUEUED = ['preview_due_at', 'preview_attempts'];
/** The preview itself, which a ticket and its load show; a job, an order and a day count the ticket. */
const PREVIEW = [...QUEUED, 'preview_id', 'preview_mime_type', 'preview_size'];
/** What changes with a ticket, and the columns of the ticket by which it does not. */
const WITH_TICKETS: readonly [type: string, ids: string, unnoticed: readonly string[]][] = [
  ['Load', '(select r.load_id)', QUEUED],
  ['Job', '(select r.job_id)', PREVIEW],
  ['Order', '(select r.order_id)', PREVIEW],
  ['DriverDay', '(select j.driver_day_id from job j where j.id = r.job_id)', PREVIEW],
];

/** The vendors that have the job of a link: whoever comes or goes, they read or lose the files of one another. */
const HAVE_IT = `(select r.vendor_company_id union select a.vendor_company_id from job_assignment a where a.job_id = r.job_id)`;
const FILES = `(select f.id from file_attachment f where f.file_attachable_type = 'Job' and f.file_attachable_id = r.job_id
      union all select f.id from load l join file_attachment f on f.file_attachable_type = 'Load' and f.file_attachable_id = l.id where l.job_id = r.job_id)`;
/** What says of a link who has the job. */
const WHO = ['job_id', 'vendor_company_id'];

/** Loads, jobs, orders and days do not change when a preview of a ticket is due or tried, and files of a job not when its vendor stays and is paid otherwise. */
export class NarrowWhatIsNoted extends Migration {
  override up(): void {
    this.addSql(`
      -- What watch_changes does, but for the triggers, which there are: it locks no table, so that imports of all day keep no upgrade waiting.
      create function watch_changes_otherwise(p_table text, p_type text, p_ids text, p_company text, p_reader text, p_kept boolean, p_unnoticed text[]) returns void
      language plpgsql as $watch$
      declare
        part text := substr(md5(concat(p_table, p_type, p_ids, p_reader)), 1, 8);
        fn text := format('note_%s_%s', p_table, part);
        state text := case when p_kept and exists (select from pg_attribute where attrelid = p_table::regclass and attname = 'state' and not attisdropped)
          then 'state::text' end;
        -- Which rows are the same one before and after: by the primary key, which is not always an id.
        same text := (select string_agg(format('o.%1$I = r.%1$I', a.attname), ' and ') from pg_index i
          join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey) where i.indrelid = p_table::regclass and i.indisprimary);
        differs text := case when cardinality(p_unnoticed) = 0 then 'n *<> o' else format('(to_jsonb(n) - %L::text[]) <> (to_jsonb(o) - %L::text[])', p_unnoticed, p_unnoticed) end;
        into_pending text := 'insert into change_pending (company_id, reader_id, subject_type, subject_id, kind, previous_state, state)';
        -- %1$s: the rows; %2$s: kind, state before and state.
        choose text := 'select distinct ' || p_company || ', reader.id, ' || p_type || ', subject.id, %2$s from %1$s
          cross join lateral ' || p_ids || ' subject (id) cross join lateral ' || coalesce(p_reader, '(select null::uuid)') || ' reader (id)
          where subject.id is not null and ' || p_company || ' is not null' || case when p_reader is null then '' else ' and reader.id is not null' end;
      begin
        execute format('create or replace function %I() returns trigger language plpgsql security definer set search_path = public, pg_temp as $f$ begin
            if tg_op = ''INSERT'' then %s;
            elsif tg_op = ''DELETE'' then %s;
            else %s; end if;
            return null; end $f$', fn,
          into_pending || ' ' || format(choose, 'new_rows r', case when p_kept then '''create'', null::text, ' || coalesce('r.' || state, 'null::text') else '''update'', null::text, null::text' end),
          into_pending || ' ' || format(choose, 'old_rows r', case when p_kept then '''delete'', null::text, null::text' else '''update'', null::text, null::text' end),
          case when p_kept then into_pending || ' ' || replace(
              format(choose, 'new_rows r join old_rows o on ' || same,
                case when state is null then '''update'', null::text, null::text'
                  else 'case when o.state is distinct from r.state then ''state_change'' else ''update'' end,
                    case when o.state is distinct from r.state then o.state::text end, case when o.state is distinct from r.state then r.state::text end' end)
                || ' and ' || replace(differs, 'to_jsonb(n)', 'to_jsonb(r)'), 'n *<> o', 'r *<> o')
            else into_pending || ' ' || format(choose, format('(select n.* from new_rows n join old_rows o on %2$s where %1$s
                union all select o.* from new_rows n join old_rows o on %2$s where %1$s) r', differs, replace(same, ' r.', ' n.')), '''update'', null::text, null::text') end);
      end $watch$`);
    for (const [type, ids, unnoticed] of WITH_TICKETS)
      this.#again('ticket', `'${type}'`, ids, null, `array[${unnoticed.map((name) => `'${name}'`).join(', ')}]::text[]`);
    this.#again(
      'job_assignment',
      `'FileAttachment'`,
      FILES,
      HAVE_IT,
      `array(select attname::text from pg_attribute where attrelid = 'job_assignment'::regclass and attnum > 0 and not attisdropped
        and attname <> all (array[${WHO.map((name) => `'${name}'`).join(', ')}]))`,
    );
    this.addSql('select join_changes_by_hash()');
  }

  /** Has changes noted for fewer changes of the row: the name of the function, whose triggers stay, is made of all else. */
  #again(table: string, type: string, ids: string, reader: string | null, unnoticed: string): void {
    const part = createHash('md5')
      .update(`${table}${type}${ids}${reader ?? ''}`)
      .digest('hex')
      .slice(0, 8);
    const text = (value: string | null) => (value === null ? 'null' : `$sql$${value}$sql$`);
    this.addSql(`select 'note_${table}_${part}()'::regprocedure`);
    this.addSql(
      `select watch_changes_otherwise('${table}', ${text(type)}, ${text(ids)}, 'r.company_id', ${text(reader)}, false, ${unnoticed})`,
    );
  }
}
