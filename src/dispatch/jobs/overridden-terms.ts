import type { Query } from '../../platform/database/sql.ts';
import { LOAD_FOLLOWS } from '../loads/load-terms.ts';
import { materialPriceOf, PRICE_UNIT, PRICES, type Priced, SUPPLIER } from '../pricing/material-price.ts';
import { START_SQL, TERMS } from './add-trucks.ts';

const SELL_AND_BUY = ['material_sell_price', 'material_buy_price'] as const;

/** Columns of a job that decide its material's price. */
export const PRICING_COLUMNS = ['material_id', 'route_id', SUPPLIER];

const SIDES = ['customer', 'vendor', 'driver'].map((side) => ['rate_id', 'rate_value', 'rate_type'].map((part) => `${side}_${part}`));

/**
 * The condition that a column was set on the row itself, so that nothing replaces it (DOMAIN 3.3). With a price, its unit is kept, too.
 * @param t alias of a job or load
 */
export const kept = (t: string, column: string): string =>
  `(${t}.own_terms is not null and ${t}.own_terms && array[${(column === PRICE_UNIT ? [PRICE_UNIT, ...SELL_AND_BUY] : [column]).map((one) => `'${one}'`).join(', ')}])`;

/** The supplier of the material of job `t`, as it was set: on the job, or else on its order `o`. */
const SAID = `case when ${kept('t', SUPPLIER)} then t.${SUPPLIER} else o.${SUPPLIER} end`;

/**
 * Returns the price of a job's material from its order `o` and the price list. A price in another unit than that of a price which was set
 * by hand is not taken.
 */
export function pricesAt(at: Omit<Priced, 'supplier'>): Record<string, string> {
  const found = foundAt({ ...at, supplier: SAID });
  const guarded = SELL_AND_BUY.map((column): [string, string] => [
    column,
    `case when ${kept('t', PRICE_UNIT)} and ${found[PRICE_UNIT]} is distinct from t.${PRICE_UNIT} then t.${column} else ${found[column]} end`,
  ]);
  return { ...found, ...Object.fromEntries(guarded) };
}

const foundAt = (at: Priced): Record<string, string> =>
  Object.fromEntries(Object.entries(PRICES).map(([column, of]) => [column, materialPriceOf(of, `o.material_rate_${of}`, at)]));

/** The material and the route that job `t` has now. */
const ITS = { material: 't.material_id', route: 't.route_id' };
const BY_ORDER: Record<string, string> = { ...TERMS, ...foundAt({ ...ITS, supplier: SAID }), job_start_at: START_SQL('t.number') };
/** The prices of a job whose supplier was just set: a price that is set with it is compared with that of the supplier. */
const BY_SUPPLIER: Record<string, string> = { ...BY_ORDER, ...foundAt({ ...ITS, supplier: `t.${SUPPLIER}` }) };
const ABOVE = {
  job: { from: 'orders o', joined: 'o.id = t.order_id', values: BY_ORDER },
  load: {
    from: 'job j',
    joined: 'j.id = t.job_id',
    values: Object.fromEntries(Object.entries(LOAD_FOLLOWS).map(([column, ofJob]) => [column, `j.${ofJob}`])),
  },
};

/**
 * Notes which columns somebody set on a job or a load itself, if they differ from the order or the job; a column that is equal again
 * follows again. Rate card, value and type of a side count as one.
 */
export async function keepOwn(query: Query, table: keyof typeof ABOVE, id: string, columns: readonly string[]): Promise<void> {
  const { from, joined, values: usual } = ABOVE[table];
  const values = table === 'job' && columns.includes(SUPPLIER) ? BY_SUPPLIER : usual;
  const sides = SIDES.filter((side) => side.some((column) => columns.includes(column)));
  const groups = [...sides, ...columns.filter((column) => column in values && !SIDES.flat().includes(column)).map((column) => [column])];
  if (groups.length === 0) return;
  const differ = groups.flatMap((group) => {
    const differs = group.map((column) => `t.${column} is distinct from ${values[column]}`).join(' or ');
    return group.map((column) => `case when ${differs} then '${column}' end`);
  });
  await query(
    `update ${table} t set own_terms = nullif(
       array(select x from unnest(t.own_terms) x where not x = any($2::text[])) || array_remove(array[${differ.join(', ')}], null), '{}')
     from ${from} where t.id = $1 and ${joined}`,
    [id, groups.flat()],
  );
}

const set = Object.entries(pricesAt(ITS)).map(
  ([column, value]) => `${column} = case when ${kept('t', column)} then t.${column} else ${value} end`,
);

/** Prices a job's material again after a change of material, pickup or supplier. `$1` the job, `$2` the states in which its price stays. */
export const REPRICE = `update job t set ${set.join(', ')} from orders o where t.id = $1 and o.id = t.order_id and not t.state = any($2::text[])`;
