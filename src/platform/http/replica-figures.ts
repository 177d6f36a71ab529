import { Counter, Gauge } from 'prom-client';
import type { InApplication } from '../application.ts';
import type { Replicas } from '../database/replicas/replicas.ts';
import { applicationMetrics } from './health.ts';

/** Adds what replicas do to the metrics of an application, also that there are none. Called once for each. */
export function observeReplicas(application: InApplication, replicas: Replicas | undefined): void {
  const all = replicas?.all ?? [];
  const counts = replicas?.counts ?? { replica: 0, primary: 0, again: 0 };
  const registers = [applicationMetrics.of(application)];
  new Gauge({
    name: 'haulgate_replicas',
    help: 'Read replicas by whether this process has them answer reads.',
    labelNames: ['state'],
    registers,
    collect() {
      const out = all.filter((one) => one.out).length;
      this.set({ state: 'in' }, all.length - out);
      this.set({ state: 'out' }, out);
    },
  });
  new Gauge({
    name: 'haulgate_replica_lag_seconds',
    help: 'How long a replica is behind the primary at most; absent of one that is left out.',
    labelNames: ['replica'],
    registers,
    // Of several processes the one that sees it furthest behind.
    aggregator: 'max',
    collect() {
      this.reset();
      for (const one of all) {
        const lag = one.out ? undefined : replicas?.lagOf(one);
        if (lag !== undefined) this.set({ replica: one.name }, lag / 1_000);
      }
    },
  });
  new Counter({
    name: 'haulgate_reads_total',
    help: 'Requests that only read, and exports, by the server that answered all of them.',
    labelNames: ['server'],
    registers,
    collect() {
      this.reset();
      this.inc({ server: 'replica' }, counts.replica);
      this.inc({ server: 'primary' }, counts.primary);
    },
  });
  new Counter({
    name: 'haulgate_reads_again_total',
    help: 'Statements that a replica did not answer, because it was not far enough or failed, and that the primary was asked instead.',
    registers,
    collect() {
      this.reset();
      this.inc(counts.again);
    },
  });
}
