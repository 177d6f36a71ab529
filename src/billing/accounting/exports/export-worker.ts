import { definePurpose } from '../../../platform/database/scope.ts';
import { queryAs } from '../../../platform/database/sql.ts';
import { ProviderError } from '../../../platform/http/remote.ts';
import type { BackgroundWorkerOptions } from '../../../platform/queue/background-worker.ts';
import type { Drainer } from '../../../platform/queue/drainer.ts';
import { claimSql, type Leased, startLeaseQueue } from '../../../platform/queue/lease-queue.ts';
import { tracing } from '../../../platform/tracing/spans.ts';
import { DocumentRefused } from './export-errors.ts';
import { type ClaimedExport, failExport, noteFailure, pushRecord } from './push-record.ts';

/** Finds the settlements and invoices of all companies that are to be exported. What is sent is read company by company. */
export const ACCOUNTING_EXPORTS = definePurpose('accounting_exports', {
  settlement_export: [
    'select (id, company_id, settlement_id, invoice_id, linked_account_id, next_at, attempts)',
    'update (next_at, attempts, updated_at)',
  ],
});

/** Documents at a time. */
const SLOTS = 4;
/** Seconds after which an export is another process's; longer than a system may take. */
const LEASE = 90;
/** Seconds until a document is sent again; after the last try somebody has to ask for it, or map something else. */
const DELAYS = [30, 60, 300, 900, 3_600];

type Claimed = ClaimedExport & Leased;
/** The names of an exported record in the log. */
const namesOf = ({ settlementId, invoiceId }: ClaimedExport) =>
  settlementId === null ? { invoice: invoiceId } : { settlement: settlementId };
const CLAIM = claimSql(
  'settlement_export',
  { due: 'next_at', attempts: 'attempts' },
  'id, company_id as "companyId", settlement_id as "settlementId", invoice_id as "invoiceId", linked_account_id as "linkedAccountId", attempts',
);
const POSTPONE = `update settlement_export set next_at = now() + $2 * interval '1 second', updated_at = now()
  where id = $1 and next_at is not null`;

/**
 * Starts the worker that sends settlements and invoices to accounting systems, each under one key for the same document, so that a system that got it
 * before a process died knows it.
 */
export function startExportWorker({ em, log, sweepEvery = 1_000 }: BackgroundWorkerOptions): Drainer {
  const ask = <R extends object>(sql: string, values: unknown[]): Promise<R[]> => queryAs<R>(ACCOUNTING_EXPORTS, em, sql, values);
  return startLeaseQueue<Claimed>({
    name: 'accounting export',
    tracing: tracing.of(em),
    slots: SLOTS,
    lease: LEASE,
    claim: (most, seconds) => ask<Claimed>(CLAIM, [most, seconds]),
    async work(job, { signal }) {
      try {
        await pushRecord(em, job, signal);
      } catch (error) {
        // Neither a document that is wrong nor credentials become right by themselves.
        const final = error instanceof DocumentRefused || (error instanceof ProviderError && error.refused);
        if (!final) throw error;
        log.warn({ err: error, ...namesOf(job) }, 'a document was refused by an accounting system');
        await failExport(em, job, error);
      }
    },
    delayAfter: (attempts) => DELAYS[attempts - 1],
    async postpone(job, seconds, error) {
      if (error !== undefined) await noteFailure(em, job, error);
      await ask(POSTPONE, [job.id, seconds]);
    },
    giveUp: (job, error) => failExport(em, job, error),
    failed: (error, job, again) =>
      log.warn({ err: error, ...namesOf(job), attempts: job.attempts, again }, 'a document could not be sent to an accounting system'),
    whenStopped: 'at once',
    sweepEvery,
    log,
  });
}
