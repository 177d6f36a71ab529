import type { Pool } from 'pg';
import { Counter, Gauge } from 'prom-client';
import type { InApplication } from '../platform/application.ts';
import { runAsPurpose } from '../platform/database/scope.ts';
import { applicationMetrics, metrics } from '../platform/http/health.ts';
import type { ImportKind } from './importer.ts';
import { LEDGER } from './ledger/ledger-purpose.ts';

/** Records that got an outcome in this process; records that will be retried count once for each attempt. */
export const settledRecords = new Counter({
  name: 'haulgate_import_settled_total',
  help: 'Imported records that this process settled, by kind and outcome, of real companies and of sandboxes.',
  labelNames: ['kind', 'state', 'world'],
  registers: [metrics],
});

interface Backlog {
  kinds: { kind: ImportKind; waiting: number; working: number; due: number }[];
  parked: number;
}

/** The backlog is read from the database: every process reports the same number, so it is not added up. What is due in sandboxes wakes nobody. */
const BACKLOG = `
select (select count(id)::int from parked_file) as parked, coalesce((select json_agg(k) from (
  select kind, count(*) filter (where lease_until is null) as waiting, count(lease_until) as working,
    coalesce(greatest(extract(epoch from now() - min(next_attempt_at) filter (where lease_until is null and not is_sandbox(company_id))), 0), 0) as due
  from import_task group by kind) k), '[]') as kinds`;

/** Adds the figures of the import ledger to the metrics of an application. Called once for each. */
export function observeLedger(application: InApplication, pool: Pool): void {
  const registers = [applicationMetrics.of(application)];
  let reading: Promise<Backlog | undefined> | undefined;
  /** Reads the backlog once for each scrape. @returns undefined if the database cannot be reached, which a gauge reports */
  const backlog = () => {
    reading ??= runAsPurpose(LEDGER, () => pool.query<Backlog>(BACKLOG))
      .then(
        ({ rows }) => rows[0],
        () => undefined,
      )
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  const gauge = (name: string, help: string, labelNames: string[], show: (gauge: Gauge, figures: Backlog) => void) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      aggregator: 'first',
      async collect() {
        const figures = await backlog();
        this.reset();
        if (figures) show(this, figures);
      },
    });
  gauge(
    'haulgate_import_open_records',
    'Open imported records, by kind: waiting, or being worked.',
    ['kind', 'state'],
    (one, { kinds }) => {
      for (const { kind, waiting, working } of kinds) {
        one.set({ kind, state: 'waiting' }, waiting);
        one.set({ kind, state: 'working' }, working);
      }
    },
  );
  gauge(
    'haulgate_import_oldest_due_seconds',
    'Seconds the oldest due record of a real company has waited, by kind.',
    ['kind'],
    (one, { kinds }) => {
      for (const { kind, due } of kinds) one.set({ kind }, due);
    },
  );
  gauge('haulgate_parked_files', 'Files that wait for the record they belong to.', [], (one, { parked }) => one.set(parked));
  new Gauge({
    name: 'haulgate_import_ledger_readable',
    help: '1 when the figures of the import ledger could be read for this scrape, 0 when they are left out.',
    registers,
    aggregator: 'min',
    async collect() {
      this.set((await backlog()) ? 1 : 0);
    },
  });
}
