/**
 * Returns what of an input changes something of a record. Clients send records back as they have read them, also those that are approved and may not be changed.
 * @param sent times, numbers, texts and nulls; what is absent changes nothing
 */
export function changesOf<T extends object>(record: object, sent: T): T {
  const comparable = (value: unknown) => (value instanceof Date ? value.getTime() : (value ?? null));
  const now = record as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(sent).filter(([field, value]) => value !== undefined && comparable(value) !== comparable(now[field])),
  ) as T;
}
