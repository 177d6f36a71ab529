/** A statement that is prepared by name. */
export interface NamedStatement {
  name: string;
  text: string;
  values: string[];
}

/** Settings that are sent with the scope where they change, by the ending of the name under which their statement is prepared. */
const MORE = {
  /** Where a transaction crosses companies, or comes back from it. */
  role: 'role',
  /** The milliseconds that statements of a request may take. */
  time: 'statement_timeout',
  /** Whether the statement is planned for its values. */
  plan: 'plan_cache_mode',
} as const;

const texts = new Map<string, string>();

/** Returns the statement that sets the scope of those behind it, until the transaction ends. */
export function scopeStatement(companies: string, work: string, more: Partial<Record<keyof typeof MORE, string>>): NamedStatement {
  let name = 'haulgate_scope';
  const settings = ['app.company_ids', 'app.work'];
  const values = [companies, work];
  for (const key of Object.keys(MORE) as (keyof typeof MORE)[]) {
    const value = more[key];
    if (value === undefined) continue;
    name += `_${key}`;
    settings.push(MORE[key]);
    values.push(value);
  }
  let text = texts.get(name);
  if (text === undefined) {
    const set = settings.map((setting, at) => `set_config('${setting}', $${at + 1}, true)`);
    // The condition is never true, so no row comes back that would have to be separated from the statement's rows.
    text = `select where concat(${set.join(', ')}) is null`;
    texts.set(name, text);
  }
  return { name, text, values };
}
