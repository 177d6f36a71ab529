import type { Dice } from '../../helpers/properties.ts';
import { type Json, rowsOf, type Side, type World } from './scene.ts';

/** Something that people or programs do, which may be refused. False if there was nothing to do it with. */
export type Step = (world: World, dice: Dice) => Promise<unknown>;

/** A row of a table, of whichever company. */
export async function anyRow(
  world: World,
  dice: Dice,
  table: string,
  condition = 'true',
  values: unknown[] = [],
): Promise<Json | undefined> {
  const rows = await rowsOf(world.app, `select * from "${table}" t where ${condition} order by created_at, id`, values);
  return rows.length > 0 ? dice.of(rows) : undefined;
}

export const sideOf = (world: World, companyId: string | null): Side | undefined =>
  world.sides.find(({ company }) => company.id === companyId);

/** The vendors on the platform that a company knows. */
export const vendorsOf = (world: World, side: Side): Promise<Json[]> =>
  rowsOf(
    world.app,
    `select id, name from account where company_id = ? and 'vendor' = any(account_types) and connected_company_id is not null order by created_at, id`,
    [side.company.id],
  );
