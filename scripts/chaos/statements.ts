import type { MikroORM } from '@mikro-orm/postgresql';

/** Settings with which PostgreSQL counts what its statements take. What it has counted ends with a crash of it. */
export const COUNTED = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track_planning': 'on' };

interface Statement {
  ms: number;
  planning: number;
  calls: number;
  plans: number;
  text: string;
}
const LONGEST = `select round(total_exec_time)::int as ms, round(total_plan_time)::int as planning, calls::int, plans::int, left(regexp_replace(query, '\\s+', ' ', 'g'), 140) as text
  from pg_stat_statements order by total_exec_time + total_plan_time desc limit 12`;

/** Begins to count; call it before anything is asked. */
export const countStatements = (orm: MikroORM): Promise<unknown> =>
  orm.em.getConnection().execute('create extension if not exists pg_stat_statements');

/** Says which statements took most of PostgreSQL's time since it was started last. */
export async function sayStatements(orm: MikroORM): Promise<void> {
  for (const { ms, planning, calls, plans, text } of await orm.em.getConnection().execute<Statement[]>(LONGEST))
    console.log(`  ${ms} ms, ${calls} times, and ${planning} ms of planning, ${plans} times: ${text}`);
}
