import type { Json, Scene } from './scene.ts';

/** The tables from which it is worked out what somebody sees, by what they are called here. */
const TABLES = {
  ...{ user: 'app_user', role: 'iam_role', scope: 'resource_scope', site: 'site', stop: 'waypoint', project: 'project' },
  ...{ order: 'orders', job: 'job', load: 'load', ticket: 'ticket', day: 'driver_day', event: 'job_event', link: 'job_assignment' },
  ...{ file: 'file_attachment', invoice: 'invoice', settlement: 'settlement', settled: 'settlement_invoice', charge: 'add_on_charge' },
  price: 'material_rate',
} as const;
type Table = keyof typeof TABLES;

/** All rows of a company, and what it has switched on for its roles. */
export type Rows = Readonly<Record<Table, readonly Json[]>> & { toggles: readonly string[] };

/** Reads the tables as they are, past everything that the product decides. */
export async function readRows({ app, at }: Scene): Promise<Rows> {
  const run = app.orm.em.fork().getConnection();
  const found: Record<string, Json[]> = {};
  for (const [name, table] of Object.entries(TABLES)) {
    const rows: Json[] = await run.execute(`select to_jsonb(t)::text as said from "${table}" t where company_id = ?`, [at.company.id]);
    found[name] = rows.map(({ said }) => JSON.parse(said));
  }
  const [{ toggles }] = await run.execute<Json[]>('select to_json(permission_toggles)::text as toggles from company where id = ?', [
    at.company.id,
  ]);
  return { ...(found as Record<Table, Json[]>), toggles: JSON.parse(toggles) };
}
