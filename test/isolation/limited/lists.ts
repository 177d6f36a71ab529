import { expect } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { listed, pages, sorted } from '../../reporting/hauling/truth.ts';
import { camel, DOORS, moneyIn, moneyOf } from './doors.ts';
import type { Rows } from './rows.ts';
import type { Dice, Json, Member, Scene } from './scene.ts';
import { KINDS, type Kind, rowsOf, type Sight } from './sight.ts';

/** Who looks, and what they see by the tables. */
export interface Look {
  scene: Scene;
  rows: Rows;
  member: Member;
  sight: Sight;
  dice: Dice;
}

/** Whether a kind is refused to somebody, and not answered as far as they see it. */
export const isRefused = ({ rights }: Sight, kind: Kind): boolean =>
  DOORS[kind].refused === true && !rights.can('view_settlements') && !rights.can('view_settlements:own');

/** The money of all records that somebody sees, by id. */
function moneySeen({ rows, sight }: Look, kind: Kind): Record<string, object> {
  const seen = rowsOf(rows)[kind].filter(({ id }) => sight[kind].has(id));
  return Object.fromEntries(seen.map((row) => [row.id, moneyOf(kind, row, sight.rights)]));
}

/** Compares the records of an answer, and the money in them, with what somebody sees. */
function compare(look: Look, kind: Kind, where: string, records: readonly Json[], named?: (name: string) => string): void {
  const { member } = look;
  expect([member.name, kind, where, sorted(records.map(({ id }) => id))]).toEqual([member.name, kind, where, sorted(look.sight[kind])]);
  const money = Object.fromEntries(records.map((record) => [record.id, moneyIn(kind, record, named)]));
  expect([member.name, kind, where, money]).toEqual([member.name, kind, where, moneySeen(look, kind)]);
}

/** Compares the lists of all kinds, and their counts, over GraphQL and REST. */
export async function compareLists(look: Look): Promise<void> {
  const { member, scene, sight, dice } = look;
  for (const kind of KINDS) {
    const { list, lists = [], money = [] } = DOORS[kind];
    if (isRefused(sight, kind)) {
      const { errors } = await member.gql(`{ ${list}(first: 1) { nodes { id } count { value } } }`);
      expect([member.name, kind, errors?.[0].extensions.code]).toEqual([member.name, kind, 'forbidden']);
      for (const path of lists) {
        const { status } = await member.http('GET', scene.at.path(path));
        expect([member.name, path, [403, 404].includes(status)]).toEqual([member.name, path, true]);
      }
      continue;
    }
    if (list) {
      const { records, count } = await listed(member, list, ['id', ...money.map(camel)].join(' '));
      compare(look, kind, list, records, camel);
      expect([member.name, list, count]).toEqual([member.name, list, sight[kind].size]);
    }
    const inRest: Json[] = [];
    for (const path of lists) {
      const found = await pages(member, scene.at.path(path));
      if (kind === 'Settlement') inRest.push(...found);
      else compare(look, kind, path, found);
    }
    if (kind === 'Settlement') compare(look, kind, 'settlements over REST', inRest);
    const sheet = kind !== 'Settlement' && lists[0];
    if (sheet && dice.chance(0.4)) await compareSheet(look, kind, sheet);
  }
  await compareOffers(look);
}

/** Compares a list as lines and as a sheet with what somebody sees. */
async function compareSheet(look: Look, kind: Kind, path: string): Promise<void> {
  const { member, scene, dice } = look;
  const type = dice.of(['application/x-ndjson', 'text/csv']);
  const { status, body } = await member.http('GET', scene.at.path(path), undefined, { Accept: type });
  expect([member.name, path, type, status]).toEqual([member.name, path, type, 200]);
  const text: string = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body);
  const records: Json[] =
    type === 'text/csv'
      ? parse(text, { bom: true, columns: true })
      : text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line));
  compare(look, kind, type, records);
}

/** Fields that offer records by their names. */
const OFFERS: readonly [Kind, string][] = [
  ['Project', 'projectTypeahead'],
  ['Site', 'siteTypeahead'],
  ['DriverDay', 'driverDayTypeahead'],
];
/** Paths that do. */
const OFFERED: readonly [Kind, string][] = [
  ['Order', '/orders/typeahead'],
  ['Job', '/jobs/typeahead'],
  ['Load', '/loads/typeahead'],
  ['Project', '/projects/typeahead'],
  ['Site', '/sites/typeahead'],
  ['DriverDay', '/driver_days/typeahead'],
];
/** What is searched for, by what it is called in tables. */
const SEARCHED: readonly [Kind, string, string][] = [
  ['Order', 'OrderSearch', 'order_id'],
  ['Job', 'SearchInput', 'job_id'],
  ['Load', 'SearchInput', 'load_id'],
  ['Ticket', 'SearchInput', 'ticket_number'],
  ['DriverDay', 'SearchInput', 'driver_day_id'],
];

/** Compares what is offered and found by its name. */
async function compareOffers({ member, scene, sight, rows, dice }: Look): Promise<void> {
  for (const [kind, field] of OFFERS) {
    const { records, count } = await listed(member, field, 'id');
    expect([member.name, field, sorted(records.map(({ id }) => id)), count]).toEqual([
      ...[member.name, field, sorted(sight[kind]), sight[kind].size],
    ]);
  }
  for (const [kind, path] of OFFERED) {
    const offered = await pages(member, scene.at.path(path));
    expect([member.name, path, offered.map(({ id }) => id).filter((id) => !sight[kind].has(id))]).toEqual([member.name, path, []]);
  }
  for (const [kind, type, column] of SEARCHED) {
    const all = rowsOf(rows)[kind].filter((row) => row[column]);
    if (all.length === 0) continue;
    const wanted = dice.of(all);
    const query = `query ($search: ${type}) { ${DOORS[kind].list}(search: $search, first: 100) { nodes { id } } }`;
    const { data, errors } = await member.gql(query, { search: { datagrid: wanted[column] } });
    expect([member.name, kind, errors]).toEqual([member.name, kind, undefined]);
    const found: string[] = data[DOORS[kind].list!].nodes.map(({ id }: Json) => id);
    expect([member.name, kind, wanted[column], found.filter((id) => !sight[kind].has(id)), found.includes(wanted.id)]).toEqual([
      ...[member.name, kind, wanted[column], [], sight[kind].has(wanted.id)],
    ]);
  }
}
