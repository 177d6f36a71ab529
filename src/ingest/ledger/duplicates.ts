/**
 * Returns SQL of the record that an imported record created or changed. An element equal to the previous one of its key is skipped on
 * receipt, before that one has a result; so the result is looked up when it is read, at no cost for the import.
 * @param r alias of the imported record
 */
export const resultSql = (r: string): string =>
  `coalesce(${r}.result_id, case when ${r}.state = 'skipped' and ${r}.last_error = 'duplicate' then (
    select twin.result_id from imported_record twin
    where twin.company_id = ${r}.company_id and twin.kind = ${r}.kind and twin.imported_for = ${r}.imported_for and twin.sequence < ${r}.sequence
      and twin.batch_id = ${r}.batch_id and twin.payload_hash = ${r}.payload_hash and twin.result_id is not null
    order by twin.sequence desc limit 1) end)`;

/**
 * Returns SQL of the record that replaced a superseded one: the next one of its key that was applied or will be, and was not superseded
 * itself.
 * @param r alias of the imported record
 */
export const supersededBySql = (r: string): string =>
  `case when ${r}.state = 'skipped' and ${r}.last_error = 'superseded' then (
    select newer.id from imported_record newer
    where newer.company_id = ${r}.company_id and newer.kind = ${r}.kind and newer.imported_for = ${r}.imported_for and newer.sequence > ${r}.sequence
      and (newer.attempts > 0 or newer.state = 'created') and newer.last_error is distinct from 'superseded'
    order by newer.sequence limit 1) end`;
