import { ref } from '@mikro-orm/core';
import { Rate } from '../../directory/master-data/rate.entity.ts';
import type { RateType } from '../../directory/master-data/units.ts';
import { onlySeen } from '../../identity/access/money.ts';
import { allow, find, viewerOf } from '../../platform/authz/authorization.ts';
import { resolveReference } from '../../platform/authz/references.ts';
import { type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { Denied, type ErrorItem, Invalid, Missing } from '../../platform/errors.ts';
import { isUuid } from '../../platform/ids.ts';
import { mayHaulJob } from '../access/job.policy.ts';
import { refuseBilledLink } from '../checks/refuse-held.ts';
import { refuseReviewed } from '../checks/reviewed-weeks.ts';
import { counted, countedRate, mismatchesOf, wordsOf } from '../checks/unit-mismatch.ts';
import { statedType } from '../checks/units.ts';

import type { CreateJobAssignmentInput, UpdateJobAssignmentInput } from '../jobs/job.inputs.ts';
import { noteJobEvent } from '../jobs/job-effects.ts';
import { withJob } from '../jobs/lock-job.ts';
import { Job } from '../model/job.entity.ts';
import { JobAssignment } from '../model/job-assignment.entity.ts';
import { JOB_FINISHED } from '../model/states.ts';
import { noteLinkRates } from '../pricing/rate-source.ts';
import { assignVendorWithin } from './assign-job.ts';
import { isOwnRate, type LinkTerms, validateVendorRate } from './subcontract.ts';

/** Passes a job on to a vendor, at a rate that belongs to the link. @throws Denied, Missing, Invalid, Conflict */
export async function createJobAssignment(ctx: Context, path: RecordPath, input: CreateJobAssignmentInput): Promise<{ id: string }> {
  let made: JobAssignment | undefined;
  await withJob(
    ctx,
    path,
    (tx, job) => void mayHaulJob(tx, job, 'create_job_assignment'),
    async (tx, job) => {
      const terms = await termsOf(tx, input, viewerOf(tx).companyIds);
      mustConvert(job, paidFor(terms, terms.rate?.type), terms);
      const way = { companyId: path.companyId, terms, field: 'vendorAccountId' };
      made = await assignVendorWithin(tx, job, { vendorId: input.vendorAccountId }, way);
    },
  );
  return { id: made!.id };
}

/** Changes what a link pays, unless an approved invoice pays it. Only the company that passed the job on may do so. @throws Denied, Missing, Invalid */
export function updateJobAssignment(
  ctx: Context,
  id: string,
  companyId: string | null | undefined,
  input: UpdateJobAssignmentInput,
): Promise<{ id: string }> {
  return transact(ctx, async (outer) => {
    const seen = await linkOf(outer, id, companyId);
    await withJob(
      outer,
      { id: seen.job.id, companyId },
      (tx) => {
        allow(tx, 'edit_job_assignment');
        if (!viewerOf(tx).companyIds.includes(seen.customerCompanyId))
          throw new Denied('edit_job_assignment', 'permission_of_owning_company');
      },
      async (tx, job) => {
        const link = await tx.em.findOne(JobAssignment, seen.id);
        if (!link) throw new Missing();
        const terms = await termsOf(tx, onlySeen(viewerOf(tx), input, 'JobAssignment'), [link.customerCompanyId]);
        const says = Object.values(terms).some((said) => said !== undefined);
        if (says) await refuseReviewed(tx, { model: 'JobAssignment' }, { companyId: job.company.id, at: job.jobStartAt });
        if (says) await refuseBilledLink(tx, 'JobAssignment', { jobId: job.id, companyId: link.customerCompanyId }, link.id);
        const items: ErrorItem[] = [];
        if (terms.rate?.id !== link.rate?.id) validateVendorRate(terms.rate, link.vendorAccount, items);
        if (items.length > 0) throw new Invalid(items);
        const before = await typeOf(link);
        if (terms.rate !== undefined) link.rate = terms.rate && ref(terms.rate);
        if (terms.rateValue !== undefined) link.rateValue = terms.rateValue;
        if (terms.rateType !== undefined) link.rateType = terms.rateType;
        if (says) link.ownRate = isOwnRate(link);
        if (JOB_FINISHED.includes(job.state)) noteLinkRates(tx, [job.id], link.id);
        const type = await typeOf(link);
        // Without its value a link is paid for what its rate card is, and with one again for what it says itself.
        const changes = type !== before && Boolean(link.rate ?? link.rateValue);
        if (terms.rate || terms.rateType || changes) mustConvert(job, type, terms);
        noteJobEvent(tx, job, 'JobUpdated');
      },
    );
    return { id: seen.id };
  });
}

/** Returns a link that a company of the caller made or received. @throws Missing */
export async function linkOf(ctx: Context, id: string, companyId: string | null | undefined): Promise<JobAssignment> {
  const viewer = viewerOf(ctx);
  const link = isUuid(id) ? await ctx.em.findOne(JobAssignment, id.toLowerCase()) : null;
  const sides = [link?.customerCompanyId, link?.vendorCompanyId];
  if (!link || !sides.some((side) => side && viewer.companyIds.includes(side))) throw new Missing();
  await find(ctx, Job, link.job.id, { companyId });
  return link;
}

/** What a link is paid for. */
const paidFor = ({ rateType, rateValue }: Pick<LinkTerms, 'rateType' | 'rateValue'>, ofRateCard: RateType | undefined) =>
  statedType(rateType, rateValue, ofRateCard) ?? ofRateCard;
const typeOf = async (link: JobAssignment) => paidFor(link, (await link.rate?.load())?.type);

/** The unit that a link is paid by must convert into the unit of the job's loads (DOMAIN 8.13). @throws Invalid */
function mustConvert(job: Job, type: RateType | null | undefined, said: LinkTerms): void {
  const [mismatch] = mismatchesOf({
    load: counted(['loadUnitOfMeasure'], job.loadUnitOfMeasure),
    material: counted(['materialId'], job.materialRateUnitOfMeasure),
    capacity: counted(['equipmentId']),
    rates: { vendor: countedRate('vendor', type, null) },
  }).filter(({ name }) => name === 'vendor');
  if (!mismatch) return;
  const field = said.rateType ? 'rateType' : said.rate === undefined && said.rateValue !== undefined ? 'rateValue' : 'rateId';
  throw new Invalid([{ model: 'JobAssignment', field, key: 'unit_mismatch', params: wordsOf(mismatch) }]);
}

async function termsOf(tx: TxContext, input: UpdateJobAssignmentInput, passers: readonly string[]): Promise<LinkTerms> {
  const items: ErrorItem[] = [];
  const rate = await resolveReference(tx, Rate, input, 'rateId', { model: 'JobAssignment', items });
  // A rate card belongs to one company, and neither side of a link may use the other's.
  if (rate && !passers.includes(rate.company.id)) items.push({ model: 'JobAssignment', field: 'rateId', key: 'must_exist' });
  else if (rate?.discardedAt) items.push({ model: 'JobAssignment', field: 'rateId', key: 'is_discarded' });
  if (items.length > 0) throw new Invalid(items);
  return { rate, rateValue: input.rateValue, rateType: input.rateType };
}
