/**
 * What a record made or changed. An element equal to the one before it under its key is skipped when it is received, before anything is
 * made; what that one came to is looked up when it is asked for, so that an import pays nothing for it.
 * @param r alias of the imported record
 */
export const resultSql = (r: string): string =>
  `coalesce(${r}.result_id, case when ${r}.state = 'skipped' and ${r}.last_error = 'duplicate' then (
    select twin.result_id from imported_record twin
    where twin.company_id = ${r}.company_id and twin.kind = ${r}.kind and twin.imported_for = ${r}.imported_for and twin.sequence < ${r}.sequence
      and twin.batch_id = ${r}.batch_id and twin.payload_hash = ${r}.payload_hash and twin.result_id is not null
    order by twin.sequence desc limit 1) end)`;

/**
 * The record that a superseded one gave way to: the next one of its key that was worked, or is to be, and did not give way itself.
 * @param r alias of the imported record
 */
export const supersededBySql = (r: string): string =>
  `case when ${r}.state = 'skipped' and ${r}.last_error = 'superseded' then (
    select newer.id from imported_record newer
    where newer.company_id = ${r}.company_id and newer.kind = ${r}.kind and newer.imported_for = ${r}.imported_for and newer.sequence > ${r}.sequence
      and (newer.attempts > 0 or newer.state = 'created') and newer.last_error is distinct from 'superseded'
    order by newer.sequence limit 1) end`;
