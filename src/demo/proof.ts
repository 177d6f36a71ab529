import type { EntityManager } from '@mikro-orm/postgresql';
import type { SetTx } from '../platform/commands/set-tx.ts';
import { insertRows, queryIn } from '../platform/database/sql.ts';
import { newId } from '../platform/ids.ts';
import { stepOf } from '../proof/chasing/chase-step.ts';
import { beginHistories } from '../proof/history/chain-tickets.ts';
import type { DemoCompany } from './demo-company.ts';
import { tracksOf } from './positions.ts';
import type { makeDemoTickets } from './tickets.ts';
import { CHASED } from './week.ts';
import type { WorkedJob } from './worked.ts';

/**
 * Writes what follows from the demo's work once it is written: the histories of its tickets, reviews that are due, a chase that goes on, and where
 * trucks were.
 */
export async function writeDemoProof(
  em: EntityManager,
  demo: DemoCompany,
  worked: readonly WorkedJob[],
  { tickets, toReview }: Awaited<ReturnType<typeof makeDemoTickets>>,
  now: Date,
): Promise<void> {
  const tx: SetTx = { em, now, query: (sql, parameters) => queryIn(em, sql, parameters) };
  await beginHistories(
    tx,
    tickets.map(({ id }) => id),
  );
  const at = now.toISOString();
  await insertRows(
    em,
    'load_review_task',
    toReview.map(({ id }) => ({ id, company_id: demo.parent.id, due_at: at })),
  );
  await chase(em, demo, worked, now);
  const tracks = tracksOf(worked);
  for (const month of new Set(tracks.map(({ occurred_at: then }) => String(then).slice(0, 7))))
    await queryIn(em, `select keep_part('location_history', $1::timestamptz)`, [`${month}-15T00:00:00Z`]);
  await insertRows(em, 'location_history', tracks);
}

/** A chase as the worker would have gone on with it until now. */
async function chase(em: EntityManager, { parent }: DemoCompany, worked: readonly WorkedJob[], now: Date): Promise<void> {
  const found = worked.find(({ order, job }) => order.number === CHASED.order && job.number === CHASED.job);
  const load = found?.loads.at(-1);
  const missing = load?.loadSummary.loadCompletedAt;
  if (!found || !load || !missing) return;
  const reminders: Date[] = [];
  let [at, open] = [missing, false];
  for (let steps = 0; steps < 12; steps++) {
    const step = stepOf({
      ...{ now: at, zone: parent.timeZone, wanted: true, jobOver: true, missing: [missing] },
      chase: open ? { reminders, askedAt: null, ticketed: false } : null,
    });
    if (step.do === 'open') open = true;
    else if (step.do === 'remind') reminders.push(at);
    else if (step.do === 'wait' && step.until <= now) at = step.until;
    else break;
  }
  const id = newId();
  const company = { company_id: parent.id };
  const begun = missing.toISOString();
  await insertRows(em, 'ticket_chase', [
    {
      id,
      ...company,
      job_id: found.job.id,
      load_ids: [load.id],
      state: 'open',
      created_at: begun,
      updated_at: (reminders.at(-1) ?? missing).toISOString(),
    },
  ]);
  await insertRows(
    em,
    'ticket_chase_reminder',
    reminders.map((sent, i) => ({ chase_id: id, number: i + 1, ...company, sent_at: sent.toISOString() })),
  );
  // The worker looks when the next reminder is due, and finds by itself when that is.
  await insertRows(em, 'ticket_chase_task', [{ id: found.job.id, ...company, due_at: now.toISOString() }]);
}
