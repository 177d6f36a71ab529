import { PUBLISHED } from '../../platform/database/published.ts';

/** The company whose login reads: null of whatever is no login, so that it reads nothing. PostgreSQL asks once for a statement. */
export const COMPANY = `(select ${PUBLISHED}.company_id())`;
/** The same as an array, as the catalogue of metrics has the companies that it counts. */
export const COMPANY_ARRAY = `(select array[${PUBLISHED}.company_id()])::uuid[]`;
/** The zone of the company, by which a time has its day. */
export const ZONE = `(select ${PUBLISHED}.time_zone())`;

const may = (permission: string): string => `(select ${PUBLISHED}.may('${permission}'))`;
/** Whether the login has all of these permissions. */
export const mayAll = (...permissions: readonly string[]): string => permissions.map(may).join(' and ');
/** A value that only a login with these permissions reads; null for others. */
export const ifMay = (permissions: readonly string[], sql: string): string =>
  permissions.length === 0 ? sql : `case when ${mayAll(...permissions)} then ${sql} end`;

/** Rows of the company alone. */
export const ofCompany = (t: string): string => `where ${t}.company_id = ${COMPANY}`;
/** The same of records that can be merged, without what is left of merged ones: the record that stayed answers for it. */
export const recordsOfCompany = (t: string): string =>
  `${ofCompany(t)} and (${t}.discarded_at is null or not exists (select from merged_record mr where mr.remains_id = ${t}.id))`;
export const dayOf = (instant: string): string => `(${instant} at time zone ${ZONE})::date`;
