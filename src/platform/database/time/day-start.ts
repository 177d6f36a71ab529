/**
 * SQL of the instant at which a calendar date begins in a zone, as `dayBounds` has it. PostgreSQL takes a local time that is there twice for the second of the
 * two, and in some zones that is midnight: in Cuba and on the Azores clocks fall back by an hour at one o'clock. A day begins with the first of them.
 * @param day SQL of the date, or of its midnight
 * @param zone SQL of the zone
 */
export function dayStartSql(day: string, zone: string): string {
  const midnight = `(${day})::timestamp`;
  const last = `(${midnight} at time zone ${zone})`;
  const hour = `interval '1 hour'`;
  return `(case when (${last} - ${hour}) at time zone ${zone} = ${midnight} then ${last} - ${hour} else ${last} end)`;
}
