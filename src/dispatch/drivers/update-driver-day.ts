import { Field, InputType, Int } from 'type-graphql';
import { allow, denial, find, viewerOf } from '../../platform/authz/authorization.ts';
import { emitEvent, type TxContext, transact } from '../../platform/commands/transact.ts';
import type { Context, RecordPath } from '../../platform/context.ts';
import { queryIn } from '../../platform/database/sql.ts';
import { Denied, type ErrorItem, Invalid } from '../../platform/errors.ts';
import { Length, Range } from '../../platform/graphql/rules.ts';
import { About } from '../../platform/model/about.ts';
import { DateTime } from '../../platform/scalars.ts';
import { booksOfOwner, DAY_HOLDS, dayHoldSql } from '../access/held-work.ts';
import { lockAroundJobs } from '../checks/lock-around.ts';
import { refuseHeldDay } from '../checks/refuse-held.ts';
import { refuseReviewed } from '../checks/reviewed-weeks.ts';
import { areSupplementsDue, type ChangedWork, makeSupplements, SUPPLEMENT } from '../checks/supplements.ts';
import { changesOf } from '../fields/changes-of.ts';
import { isAhead } from '../jobs/drive.ts';
import { DriverDay, ShiftAdjustmentType } from '../model/driver-day.entity.ts';
import { lockDriver } from '../shifts/begin-state.ts';
import { computedTotals, totalsToApprove } from './driver-day-figures.ts';

const optional = { nullable: true };
/** Minutes of the largest adjustment. */
const MOST = 720;
const DAY = 24 * 3_600_000;

/** The fields of a shift that is over which a person corrects; null takes a correction back. */
@InputType()
@About('DriverDay')
export class UpdateDriverDayInput {
  @Field(() => Int, optional) @Range(-MOST, MOST) shiftAdjustmentMinutes?: number | null;
  @Field(() => ShiftAdjustmentType, optional) shiftAdjustmentType?: ShiftAdjustmentType | null;
  @Field(() => String, optional) @Length(0, 200) externalId?: string | null;
  @Field(() => DateTime, optional) adjustedStartedShiftAt?: Date | null;
  @Field(() => DateTime, optional) adjustedEndedShiftAt?: Date | null;
  @Field(() => Boolean, { nullable: true, description: `Of a day that is approved: ${SUPPLEMENT}` }) supplement?: boolean | null;
}

const STAMPS = ['adjustedStartedShiftAt', 'adjustedEndedShiftAt'] as const;

/**
 * Corrects the times of a shift that is over, not approved for billing, and not held by what was billed of it (PROOF A3): an approved invoice that pays by time,
 * or one in a live settlement or a closed period. What is billed for the day or its jobs, and cannot be taken back any more, gets a supplement if the office wants
 * one (BILLING B5); the totals of an approved day are approved as they are then. What is sent and changes nothing is refused nothing.
 * @throws Missing; Denied without `edit_job_summary`, and to a driver whose day does not let them; Invalid naming every impossible value
 */
export function updateDriverDay(ctx: Context, path: RecordPath, changes: UpdateDriverDayInput): Promise<DriverDay> {
  return transact(ctx, async (tx) => {
    const { supplement, ...sent } = changes;
    const seen = await find(tx, DriverDay, path.id, { companyId: path.companyId, shared: true });
    mayCorrect(tx, seen);
    if (supplement) {
      // The pay is a matter of the office, and is locked after the driver.
      allow(tx, 'edit_job_summary');
      await lockDriver(tx, seen.driver.id);
    }
    const day = await find(tx, DriverDay, path.id, { companyId: path.companyId, lock: true });
    const input = changedOf(day, sent);
    if (Object.keys(input).length === 0) return day;
    const work = { dayId: day.id, companyId: day.company.id };
    const isHeld = await holdsTimes(tx, day);
    const closed = Boolean(day.billingApprovedAt) || isHeld;
    const works = supplement && day.endedShiftAt && closed ? await billedWorksOf(tx, work) : [];
    const bills = works.length > 0;
    if (!bills && day.endedShiftAt && isHeld) await refuseHeldDay(tx, work);
    if (bills) await refuseUnapprovable(tx, work);
    if (!day.endedShiftAt || (closed && !bills)) throw new Invalid([{ model: 'DriverDay', field: '', key: 'day_not_editable' }]);
    await refuseReviewed(tx, { model: 'DriverDay' }, { companyId: day.company.id, day: day.driverDayDate });
    Object.assign(day, input);
    const items = [...impossibleTimes(tx, day, input), ...impossibleAdjustment(day)];
    if (items.length === 0) items.push(...(await moreThanWorked(tx, day)));
    if (items.length > 0) throw new Invalid(items);
    emitEvent(tx, 'driver_day.updated', day);
    if (bills && day.billingApprovedAt) day.approvedTotals = await totalsToApprove(tx.em, day.id);
    // What does not go by the shift comes to the same.
    for (const { byShift, ...billed } of works) if (byShift) await makeSupplements(tx, billed);
    return day;
  });
}

const JOBS = `select i.job_id as id, bool_or(coalesce(i.rate_terms ->> 'timeBasis' in ('portal', 'shift'), false)) as "byShift" from job j join invoice i on i.job_id = j.id
  where j.driver_day_id = $1 and i.company_id = $2 and i.billing_approved_at is not null and i.state <> 'voided' group by i.job_id order by i.job_id`;

type BilledWork = ChangedWork & { byShift: boolean };

/** The day and those of its jobs of which an approval cannot be taken back any more: what they come to by other times gets a supplement. */
async function billedWorksOf(tx: TxContext, { dayId, companyId }: { dayId: string; companyId: string }): Promise<BilledWork[]> {
  const jobs = await queryIn<{ id: string; byShift: boolean }>(tx.em, JOBS, [dayId, companyId]);
  // A supplement refers to the order of its job, which is locked before that, as everywhere.
  await lockAroundJobs(
    tx,
    jobs.map(({ id }) => id),
  );
  const works = [{ dayId, companyId, byShift: true }, ...jobs.map(({ id, byShift }) => ({ jobId: id, companyId, byShift }))];
  const due: BilledWork[] = [];
  for (const work of works) if (await areSupplementsDue(tx, work)) due.push(work);
  return due;
}

const BY_TIME = `select i.id from invoice i where (i.driver_day_id = $1 or i.job_id in (select j.id from job j where j.driver_day_id = $1)) and i.company_id = $2
  and i.billing_approved_at is not null and i.state <> 'voided' and (i.driver_day_id is not null or i.time_terms is not null)`;

/**
 * Refuses a correction for the sake of work that does not go by its times, such as loads of a customer by the ton, while the invoices that do can all be taken
 * back. The jobs are locked. @throws Invalid naming one of these
 */
async function refuseUnapprovable(tx: TxContext, work: { dayId: string; companyId: string }): Promise<void> {
  const found = await queryIn<{ id: string }>(tx.em, BY_TIME, [work.dayId, work.companyId]);
  const ids = found.map(({ id }) => id);
  if (ids.length > 0 && !(await areSupplementsDue(tx, work, ids))) await refuseHeldDay(tx, work, true);
}

const HOLD = `select ${dayHoldSql('d', booksOfOwner('d'))} as hold from driver_day d where d.id = $1`;

/** True if an approved invoice of a locked day pays by time, or is in a live settlement or a closed period, so that nobody may change what it was priced by. */
async function holdsTimes(tx: TxContext, { id }: DriverDay): Promise<boolean> {
  const [row] = await queryIn<{ hold: number }>(tx.em, HOLD, [id]);
  return row!.hold === DAY_HOLDS.times;
}

/** The office of the driver's company, or the driver if the company lets them. @throws Denied */
function mayCorrect(tx: TxContext, day: DriverDay): void {
  const viewer = viewerOf(tx);
  if (!viewer.companyIds.includes(day.company.id)) throw new Denied('edit_job_summary', 'permission_of_owning_company');
  if (viewer.can('edit_job_summary') || (day.driver.id === viewer.id && day.timesEditable)) return;
  throw denial(viewer, 'edit_job_summary');
}

type Corrections = Omit<UpdateDriverDayInput, 'supplement'>;

/** The corrections that change something, as they are kept. Clients send the whole day back as they have read it, also one that is approved. */
function changedOf(day: DriverDay, sent: Corrections): Corrections {
  const kept: Corrections = {
    ...sent,
    ...(sent.shiftAdjustmentMinutes === null ? { shiftAdjustmentMinutes: 0 } : {}),
    ...(sent.externalId === undefined ? {} : { externalId: sent.externalId?.trim() || null }),
  };
  return changesOf(day, kept);
}

/** Only values that the input touches are checked alone; start and end are checked against each other. */
function impossibleTimes(tx: TxContext, day: DriverDay, input: Corrections): ErrorItem[] {
  const item = (field: string, key: string): ErrorItem => ({ model: 'DriverDay', field, key });
  const logged = { adjustedStartedShiftAt: day.startedShiftAt, adjustedEndedShiftAt: day.endedShiftAt };
  const items = STAMPS.flatMap((field) => {
    const at = input[field];
    if (!at) return [];
    if (isAhead(tx, at)) return [item(field, 'in_the_future')];
    return Math.abs(at.getTime() - (logged[field]?.getTime() ?? at.getTime())) > DAY ? [item(field, 'far_from_logged')] : [];
  });
  if (items.length > 0 || STAMPS.every((field) => input[field] === undefined)) return items;
  const start = (day.adjustedStartedShiftAt ?? day.startedShiftAt)?.getTime() ?? 0;
  const end = (day.adjustedEndedShiftAt ?? day.endedShiftAt)!.getTime();
  const [field, key] =
    input.adjustedEndedShiftAt === undefined
      ? (['adjustedStartedShiftAt', 'after_end'] as const)
      : (['adjustedEndedShiftAt', 'before_start'] as const);
  if (end <= start) return [item(field, key)];
  return end - start > DAY ? [item(field, 'shift_too_long')] : [];
}

function impossibleAdjustment({ shiftAdjustmentMinutes: minutes, shiftAdjustmentType: type }: DriverDay): ErrorItem[] {
  const item = (field: string, key: string): ErrorItem => ({ model: 'DriverDay', field, key });
  if (minutes !== 0 && !type) return [item('shiftAdjustmentType', 'adjustment_without_type')];
  if (minutes === 0 && type) return [item('shiftAdjustmentMinutes', 'adjustment_without_minutes')];
  const wrong = type === 'wait_time' ? minutes < 0 : minutes > 0;
  return wrong ? [item('shiftAdjustmentMinutes', 'sign_of_adjustment')] : [];
}

async function moreThanWorked(tx: TxContext, day: DriverDay): Promise<ErrorItem[]> {
  await tx.em.flush();
  const { onDuty } = await computedTotals(tx.em, day.id);
  if (day.shiftAdjustmentMinutes >= -(onDuty ?? 0)) return [];
  return [{ model: 'DriverDay', field: 'shiftAdjustmentMinutes', key: 'more_than_on_duty', params: { minutes: onDuty ?? 0 } }];
}
