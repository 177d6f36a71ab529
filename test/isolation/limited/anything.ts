import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { buildSchema } from 'graphql';
import { schemaOfRooms } from '../../../src/app/serve.ts';
import { compileDocuments } from '../../../src/platform/http/rest/compile.ts';
import { once } from '../../helpers/walk/once.ts';
import { expectationOf, type Ids, restCalls } from '../../helpers/walk.ts';
import { draw } from '../../platform/graphql/random/selections.ts';
import { plainly } from '../../platform/graphql/random/written.ts';
import type { Look } from './lists.ts';
import type { Json, Scene } from './scene.ts';
import { KINDS, type Kind, rowsOf } from './sight.ts';

const schema = buildSchema(readFileSync('schema/schema.graphql', 'utf8'));
/** Everything that is read over REST. */
const operationsOf = once(async () => compileDocuments(schemaOfRooms(), 'schema/rest', true).filter(({ method }) => method === 'GET'));

/** Documents and paths that somebody asks in a round. */
const DOCUMENTS = 10;
const PATHS = 12;

/** Sites are shown as the stops of whatever work somebody sees. */
const SHOWN: ReadonlySet<Kind> = new Set(['Site']);
/** Where answers say what was, to what a charge was applied, and to what somebody has added a file: by an id alone, with which nobody reads more. */
const BY_ID_ALONE = /applicable_?id$|attachable_?id$|audit|timeline|merge/i;

/** The ids of all records, with their kinds. */
const owners = ({ rows }: Look): ReadonlyMap<string, Kind> => {
  const all = rowsOf(rows);
  return new Map(KINDS.filter((kind) => !SHOWN.has(kind)).flatMap((kind) => all[kind].map(({ id }) => [id, kind] as const)));
};

/** What an answer names that somebody does not see. */
function leaks(look: Look, known: ReadonlyMap<string, Kind>, answer: Json, place = ''): string[] {
  if (BY_ID_ALONE.test(place)) return [];
  if (typeof answer === 'string') {
    const kind = known.get(answer);
    return kind && !look.sight[kind].has(answer) ? [`${kind} ${answer} at ${place}`] : [];
  }
  if (answer === null || typeof answer !== 'object') return [];
  return Object.entries(answer).flatMap(([name, value]) => leaks(look, known, value, `${place}.${name}`));
}

/** Ids for the paths of all operations: of records that somebody sees, or not. */
function idsFor({ rows, dice }: Look, { at, trucks, members, projects }: Scene): Ids {
  const all = rowsOf(rows);
  const of: Readonly<Record<string, () => string | undefined>> = {
    ...{ order: () => dice.of(all.Order)?.id, job: () => dice.of(all.Job)?.id, finishedJob: () => dice.of(all.Job)?.id },
    ...{ invoicedJob: () => dice.of(all.Job)?.id, load: () => dice.of(all.Load)?.id, ticket: () => dice.of(all.Ticket)?.id },
    ...{ driverDay: () => dice.of(all.DriverDay)?.id, paidDay: () => dice.of(all.DriverDay)?.id, site: () => dice.of(all.Site)?.id },
    ...{ fileAttachment: () => dice.of(all.FileAttachment)?.id, jobAssignment: () => dice.of(all.JobAssignment)?.id },
    ...{
      invoice: () => dice.of(all.Invoice)?.id,
      settlement: () => dice.of(all.Settlement)?.id,
      addOnCharge: () => dice.of(all.AddOnCharge)?.id,
    },
    ...{ materialRate: () => dice.of(all.MaterialRate)?.id, project: () => dice.of(projects), equipment: () => dice.of(trucks) },
    ...{ account: () => at.account.id, company: () => at.company.id, material: () => at.material.id, service: () => at.service.id },
    ...{ user: () => dice.of(members).id, driver: () => dice.of(members).id, foreman: () => dice.of(members).id },
  };
  return new Proxy({} as Ids, { get: (_, kind) => of[String(kind)]?.() ?? randomUUID() });
}

/**
 * Asks anything: whatever is selected at random of whatever is there, and every kind of path. No answer names a record that somebody does not see, and nothing
 * below such a record is answered.
 */
export async function compareAnything(look: Look): Promise<void> {
  const { member, scene, rows, sight, dice } = look;
  const known = owners(look);
  const all = rowsOf(rows);
  const ids = new Map(KINDS.map((kind) => [kind as string, all[kind].map(({ id }) => id as string)]));
  ids.set(
    'User',
    scene.members.map(({ id }) => id),
  );
  ids.set('Equipment', scene.trucks);
  ids.set('Account', [scene.at.account.id]);
  for (let i = 0; i < DOCUMENTS; i++) {
    const { query } = plainly(draw(ids, dice)(schema.getQueryType()!, 2 + dice.below(4)));
    const { data, errors = [] } = await member.gql(query);
    const broken = errors.filter(({ extensions }: Json) => extensions?.code === 'internal_server_error');
    expect([member.name, query, broken, leaks(look, known, data)]).toEqual([member.name, query, [], []]);
  }
  const operations = await operationsOf();
  for (let i = 0; i < PATHS; i++) {
    const operation = dice.of(operations);
    for (const { path } of restCalls(operation, expectationOf(operation.rootField), idsFor(look, scene), scene.at)) {
      const { status, body } = await member.http('GET', path);
      const hidden = [...path.matchAll(/[0-9a-f-]{36}/g)].filter(([id]) => known.has(id) && !sight[known.get(id)!].has(id));
      const isOpen = status === 200 && hidden.length > 0;
      const shown = BY_ID_ALONE.test(path) ? [] : leaks(look, known, body);
      expect([member.name, path, status < 500, isOpen, shown]).toEqual([member.name, path, true, false, []]);
    }
  }
}
