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
