import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Books, count, EXPORTING, LOOKING, type Made, oneOf, PATIENCE, type Progress, pathOf } from './billing-books.ts';

/** What one of two clients may do in between. */
const WHIMS = ['pay', 'unapprove', 'void', 'settle', 'look'] as const;
const PLAN = ['approve', 'export', 'whim', 'void', 'approve', 'whim', 'export', 'void', 'approve', 'export', 'whim'] as const;
type Step = (typeof PLAN)[number] | (typeof WHIMS)[number];

/** Has the invoices of a job exported by themselves, paid, unapproved, settled and voided by two clients at once, and then exports the one that is left. */
export async function exportAlone(books: Books, job: string, progress: Progress): Promise<void> {
  const follow = async () => {
    for (const step of PLAN) await take(books, job, step === 'whim' ? oneOf(WHIMS) : step, progress);
  };
  await Promise.all([follow(), follow()]);
  for (const end = Date.now() + PATIENCE; ; await sleep(LOOKING)) {
    if (Date.now() > end) throw new Error(`the invoice of job ${job} does not come to an end`);
    const invoice = await liveOf(books, job);
    if (invoice?.exported_at) return;
    if (invoice) await take(books, job, invoice.state === 'pending' ? 'approve' : 'export', progress);
  }
}

interface Invoice extends Made {
  exported_at: string | null;
  accounting_export: { state: string } | null;
}

async function read<T>({ caller }: Books, path: string): Promise<T | undefined> {
  const text = await caller.call('GET', path);
  return typeof text === 'string' ? (JSON.parse(text).data as T) : undefined;
}

/** The invoice that a job has now; none while another one is to take the place of one that was voided. */
async function liveOf(books: Books, job: string): Promise<Invoice | undefined> {
  const live = await read<Made>(books, `/v1/jobs/${job}/receivable`);
  return live && read<Invoice>(books, pathOf(books, `/invoices/${live.id}`));
}

/** Takes a step. That it is refused because the other one was faster is an answer like others. */
async function take(books: Books, job: string, step: Step, progress: Progress): Promise<void> {
  const invoice = await liveOf(books, job);
  if (!invoice || step === 'look') return;
  const { caller } = books;
  const at = (rest: string) => pathOf(books, `/invoices/${invoice.id}${rest}`);
  if (step === 'settle') return settle(books, invoice.id, progress);
  count(progress, `${step} alone`, await caller.call('PUT', at(`/${step}`), undefined, randomUUID()));
  if (step !== 'export') return;
  for (const end = Date.now() + EXPORTING; Date.now() < end; await sleep(LOOKING))
    if ((await read<Invoice>(books, at('')))?.accounting_export?.state !== 'pending') return;
}

/** Settles an invoice, and takes that back: while it is settled, it is not exported by itself. */
async function settle(books: Books, id: string, progress: Progress): Promise<void> {
  const text = await books.caller.call('POST', pathOf(books, '/settlements'), { invoice_ids: [id] }, randomUUID());
  if (!count(progress, 'settle alone', text)) return;
  const { id: settlement } = (JSON.parse(text) as { data: Made }).data;
  progress.made.add(settlement);
  const voided = await books.caller.call('PUT', pathOf(books, `/settlements/${settlement}/void`), { void_reason: 'chaos' }, randomUUID());
  if (!count(progress, 'void alone in settlement', voided))
    throw new Error(`settlement ${settlement} of one invoice is not voided: ${voided}`);
}
