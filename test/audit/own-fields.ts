// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** Returns the fields of a record itself: no lists, no other records, and none that count them. */
export function ownOf(body: Json): Json {
  const own = Object.entries(body).filter(([name, value]) => !NOT_OWN.has(name) && (typeof value !== 'object' || value === null));
  return Object.fromEntries(own);
}
/** Fields that are as they are now, or not in the log; whether something may be changed depends on the invoices that hold it now. */
const NOT_OWN = new Set([
  ...['version', 'updated_at', 'explain', 'loads_count', 'invoice_line_items_total_quantity'],
  ...['editable', 'unapprovable'],
]);
