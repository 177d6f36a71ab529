import type { TxContext } from '../../platform/commands/transact.ts';
import { queryIn } from '../../platform/database/sql.ts';

// Each waits for the one before it. What is inserted for the work refers to these rows, and PostgreSQL would lock them in whatever order it
// comes to them, after the job.
const JOBS = 'job where id = any($1::uuid[])';
const DRIVERS = `u as materialized (select id from app_user where id in (select driver_id from ${JOBS}) order by id for key share)`;
const DAYS = `select id from driver_day where (select count(*) from u) >= 0 and id in (select driver_day_id from ${JOBS}) order by id for key share`;
const OF_JOBS = `with ${DRIVERS}, d as materialized (${DAYS})
  select from orders where (select count(*) from d) >= 0 and id in (select order_id from ${JOBS}) order by id for key share`;
const BEFORE_ORDERS = `with ${DRIVERS} ${DAYS}`;
const OF_DAYS = 'select from app_user where id in (select driver_id from driver_day where id = any($1::uuid[])) order by id for key share';

/**
 * Locks what jobs belong to before they are locked: drivers, days and orders, in this order as everywhere. Nobody waits for it who only changes
 * what they say, unless a command has them.
 */
export const lockAroundJobs = (tx: TxContext, jobIds: readonly string[]): Promise<object[]> => queryIn(tx.em, OF_JOBS, [jobIds]);

/**
 * The same without the orders, for a command that locks these itself to change them: two of them that had a weaker lock already would wait for each other.
 */
export const lockBeforeOrders = (tx: TxContext, jobIds: readonly string[]): Promise<object[]> => queryIn(tx.em, BEFORE_ORDERS, [jobIds]);

/** Locks the drivers of days before them. */
export const lockAroundDays = (tx: TxContext, dayIds: readonly string[]): Promise<object[]> => queryIn(tx.em, OF_DAYS, [dayIds]);
export const lockAroundDay = (tx: TxContext, dayId: string): Promise<object[]> => lockAroundDays(tx, [dayId]);
