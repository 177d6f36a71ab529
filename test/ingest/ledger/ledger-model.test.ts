import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { admit } from '../../../src/ingest/ledger/admit.ts';
import { type Claim, claim, FIRST_TURN } from '../../../src/ingest/ledger/claim.ts';
import { runEffect } from '../../../src/ingest/ledger/effect.ts';
import { takeBackHeld } from '../../../src/ingest/ledger/leases.ts';
import type { RetryRules } from '../../../src/ingest/ledger/retries.ts';
import type { Context } from '../../../src/platform/context.ts';
import { sweepRuns } from '../../helpers/properties.ts';
import { addSender, type Ledger, noneRests, openLedger, type Probe, probeImporter, recordsOf } from './probe-ledger.ts';

/**
 * Random sequences of sends, work, crashes and waits, against a model of the outcome of each record and the values applied to each key, in
 * order.
 */
const RULES: RetryRules = { transient: [3600, 3600, 3600], deterministic: [3600], lostClaims: 3 };
const IMPORTERS = { order: probeImporter('order', true), ticket: probeImporter('ticket', false) };
type Kind = keyof typeof IMPORTERS;

interface Row {
  kind: Kind;
  key: string;
  probe: Probe;
  open: boolean;
  /** False while it waits for a retry. */
  due: boolean;
  attempts: number;
  lost: number;
  state: string;
  error: string | null;
}

class Model {
  rows: Row[] = [];
  applied = new Map<string, string>();
  effects = new Map<string, number[]>();

  send(kind: Kind, probes: Probe[]): void {
    const before = new Map<string, string>();
    for (const probe of probes) {
      const key = probe.external_id!;
      const twin = before.get(key) === JSON.stringify(probe);
      before.set(key, JSON.stringify(probe));
      this.rows.push({
        ...{ kind, key, probe, open: !twin, due: true, attempts: 0, lost: 0 },
        ...(twin ? { state: 'skipped', error: 'duplicate' } : { state: 'created', error: null }),
      });
    }
  }

  /** The row of each key that may be claimed, when it is due: the newest order; the oldest ticket that has not failed, else the newest. */
  claimable(): Row[] {
    return this.rows.filter((row) => {
      if (!row.open || !row.due) return false;
      const rivals = this.rows.filter((r) => r.open && r.kind === row.kind && r.key === row.key);
      return row === ((row.kind === 'ticket' && rivals.find((r) => r.state === 'created')) || rivals.at(-1));
    });
  }

  claim(row: Row): void {
    row.attempts++;
    for (const older of this.rows.slice(0, this.rows.indexOf(row))) {
      if (older.open && older.kind === row.kind && older.key === row.key && (row.kind === 'order' || older.state === 'failed'))
        Object.assign(older, { open: false, state: 'skipped', error: 'superseded' });
    }
  }

  crash(row: Row): void {
    this.claim(row);
    row.lost++;
    if (row.lost === RULES.lostClaims) Object.assign(row, { open: false, state: 'exhausted', error: 'worker_lost' });
  }

  work(row: Row): void {
    this.claim(row);
    const key = `${row.kind} ${row.key}`;
    const { fail, value } = row.probe;
    if (this.applied.get(key) === JSON.stringify(row.probe)) {
      Object.assign(row, { open: false, state: 'skipped', error: 'duplicate' });
    } else if (fail && row.attempts <= fail.times) {
      const rest = fail.how === 'transient' ? RULES.transient.length : RULES.deterministic.length;
      const exhausted = row.attempts > rest;
      const error = { outcome: 'unknown_order', invalid: 'import_not_an_object', transient: 'service_unavailable', throw: 'internal' }[
        fail.how as 'throw'
      ];
      Object.assign(row, { open: !exhausted, due: false, state: exhausted ? 'exhausted' : 'failed', error });
    } else {
      Object.assign(row, { open: false, state: 'processed', error: null });
      this.applied.set(key, JSON.stringify(row.probe));
      this.effects.set(key, [...(this.effects.get(key) ?? []), value!]);
    }
  }

  wait(): void {
    for (const row of this.rows) row.due = true;
  }
}

let ledger: Ledger;
beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger.close());

const probe: fc.Arbitrary<Probe> = fc.record(
  {
    external_id: fc.constantFrom('A', 'B', 'C'),
    value: fc.constantFrom(1, 2),
    fail: fc.record({ how: fc.constantFrom('outcome', 'invalid', 'transient', 'throw'), times: fc.integer({ min: 1, max: 4 }) }),
  },
  { requiredKeys: ['external_id', 'value'] },
);
const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      kind: fc.constantFrom<Kind>('order', 'ticket'),
      probes: fc.array(probe, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'work' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'crash' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'wait' as const }) },
);

async function claims(ctx: Context, batchSize: number): Promise<Claim[]> {
  const rules = { kinds: ['order' as const, 'ticket' as const], supersedes: ['order' as const], batchSize, leaseSeconds: 60 };
  const taken = await claim(ledger.orm.em, rules, FIRST_TURN, 5, noneRests);
  return taken.filter((c) => c.companyId === ctx.viewer!.companyId);
}

test('whatever is sent, fails, crashes and is retried, every record and every key ends as in the model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 3, maxLength: 14 }), fc.integer({ min: 1, max: 20 }), async (commands, batchSize) => {
      const ctx = await addSender(ledger);
      const model = new Model();
      const byId = new Map<string, Row>();
      for (const step of [...commands, { do: 'work' as const }]) {
        if (step.do === 'send') {
          model.send(step.kind, step.probes);
          const { records } = await admit(ctx, IMPORTERS[step.kind], step.probes);
          for (const [i, row] of model.rows.slice(-records.length).entries()) byId.set(records[i]!.id, row);
        } else if (step.do === 'wait') {
          model.wait();
          await ledger.sql('update import_task set next_attempt_at = now() where company_id = ?', [ctx.viewer!.companyId]);
        } else {
          // One round of claims crashes, all that is due is worked.
          for (let taken = await claims(ctx, batchSize); taken.length > 0; taken = step.do === 'work' ? await claims(ctx, batchSize) : []) {
            for (const batch of taken) {
              for (const { id } of batch.rows) {
                expect(model.claimable()).toContain(byId.get(id));
                model[step.do](byId.get(id)!);
              }
              if (step.do === 'crash') await takeBackHeld(ledger.orm.em, RULES.lostClaims, batch.rows);
              else
                await runEffect(
                  ledger.orm.em,
                  batch,
                  IMPORTERS[batch.kind as Kind],
                  { retries: RULES, idleSeconds: 10 },
                  { started: () => undefined, internal: () => undefined },
                );
            }
          }
          if (step.do === 'work') expect(model.claimable()).toEqual([]);
        }
        const found = (await recordsOf(ledger, ctx)).map((r) => [r.kind, r.imported_for, r.state, r.last_error?.split(':')[0] ?? null]);
        expect(found).toEqual(model.rows.map((row) => [row.kind, row.key, row.state, row.error]));
      }
      const log = await ledger.sql<{ kind: string; imported_for: string; value: number }>(
        'select * from probe_effect where company_id = ? order by n',
        [ctx.viewer!.companyId],
      );
      const effects = new Map<string, number[]>();
      for (const row of log)
        effects.set(`${row.kind} ${row.imported_for}`, [...(effects.get(`${row.kind} ${row.imported_for}`) ?? []), row.value]);
      expect(effects).toEqual(model.effects);
      await ledger.sql('delete from import_task where company_id = ?', [ctx.viewer!.companyId]);
    }),
    { numRuns: sweepRuns(60) },
  );
}, 120_000);
