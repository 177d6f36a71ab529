import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type GraphQLInputType, getNamedType, getNullableType, isInputObjectType, isListType } from 'graphql';
import { schemaOfRooms } from '../../src/serve.ts';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { KINDS } from '../helpers/walk/kinds.ts';
import { sampleInput } from '../helpers/walk/samples.ts';
import { EXPECTED, graphqlCall, type Ids, idsUsed, makeIds } from '../helpers/walk.ts';
import { makeYard, type Yard } from '../helpers/yard.ts';

const UUIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The way to an id in an input: the names of the fields, and their types. */
interface Path {
  names: string[];
  types: GraphQLInputType[];
}

const schema = schemaOfRooms();
const mutations = Object.values(schema.getMutationType()!.getFields());

let app: TestApp;
let yard: Yard;
let foreign: Ids;
beforeAll(async () => {
  app = await startTestApp();
  yard = await makeYard(app);
  foreign = await makeIds(await makeYard(app));
});
afterAll(() => app.close());

function pathsOf(type: GraphQLInputType, names: string[] = [], types: GraphQLInputType[] = [], above: string[] = []): Path[] {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return named.name === 'ID' ? [{ names, types }] : [];
  if (above.includes(named.name)) return [];
  return Object.values(named.getFields()).flatMap((field) =>
    pathsOf(field.type, [...names, field.name], [...types, field.type], [...above, named.name]),
  );
}

const isList = (type: GraphQLInputType) => isListType(getNullableType(type));

/** The input with the id at the end of the path; what is not there on the way is made with its required fields. */
function withId(input: unknown, { names, types }: Path, id: string, ids: Ids, at = 0): unknown {
  const name = names[at];
  const type = types[at];
  if (name === undefined || type === undefined) return id;
  const fields = { ...(input as Record<string, unknown>) };
  const known = isList(type) ? (fields[name] as unknown[] | undefined)?.[0] : fields[name];
  const inside = at === names.length - 1 ? undefined : (known ?? sampleInput(getNamedType(type) as GraphQLInputType, yard, ids));
  const value = withId(inside, { names, types }, id, ids, at + 1);
  return { ...fields, [name]: isList(type) ? [value] : value };
}

interface Asked {
  field: string;
  /** What came of it, without ids and times. */
  foreign: string;
  nothing: string;
  refused: boolean;
}

/** Sends each id of each input of a mutation twice: naming a record of the other company, and naming nothing. */
async function ask(mutation: (typeof mutations)[number]): Promise<Asked[]> {
  const expected = EXPECTED.get(mutation.name)!;
  const callWith = (ids: Ids) => graphqlCall('mutation', mutation, expected, ids, yard);
  let ids: Ids | undefined;
  const asked: Asked[] = [];
  for (const argument of mutation.args) {
    for (const path of isInputObjectType(getNamedType(argument.type)) ? pathsOf(argument.type) : []) {
      const kind = KINDS.find(([pattern]) => pattern.test(path.names.at(-1)!))?.[1];
      if (!kind) continue;
      const send = async (id: string) => {
        ids ??= await makeIds(yard, mutation.name, idsUsed(callWith));
        const { query, variables } = callWith(ids);
        const given = variables[argument.name] ?? sampleInput(getNamedType(argument.type) as GraphQLInputType, yard, ids);
        const one = withId(Array.isArray(given) ? given[0] : given, path, id, ids);
        const { body } = await app.graphql(
          query,
          { ...variables, [argument.name]: isList(argument.type) ? [one] : one },
          { token: yard.token },
        );
        const done = Object.values(body.data ?? {}).some((value) => value !== null);
        // What was done is done: the next needs records of its own.
        if (done) ids = undefined;
        return {
          done,
          text: JSON.stringify(body)
            .replace(UUIDS, '<id>')
            .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'),
        };
      };
      const [theirs, nothing] = [await send(foreign[kind]), await send(randomUUID())];
      const field = `${mutation.name} ${argument.name}.${path.names.join('.')}`;
      asked.push({ field, foreign: theirs.text, nothing: nothing.text, refused: !theirs.done });
    }
  }
  return asked;
}

test('an id of others in any field of any input is answered as one that names nothing, and is kept nowhere', async () => {
  const asked: Asked[] = [];
  for (const mutation of mutations) asked.push(...(await ask(mutation)));
  expect(asked.filter((one) => one.foreign !== one.nothing)).toEqual([]);
  // Most are looked for and not found; the rest are rehearsals that tell problems, jobs of bulk actions, and filters.
  expect([asked.length > 150, asked.filter(({ refused }) => refused).length > 100]).toEqual([true, true]);
  const theirs = new Set(KINDS.map(([, kind]) => foreign[kind]));
  const tables = await app.orm.em.execute<{ name: string }[]>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'company_id'
     where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`,
  );
  const kept: string[] = [];
  for (const { name } of tables) {
    // What a bulk action was asked stands there until a worker has looked for it.
    if (name === 'bulk_action_item') continue;
    const rows = await app.orm.em.execute<{ row: string }[]>(`select to_jsonb(t)::text as row from "${name}" t where company_id = ?`, [
      yard.company.id,
    ]);
    for (const { row } of rows) if ((row.match(UUIDS) ?? []).some((id) => theirs.has(id))) kept.push(`${name}: ${row}`);
  }
  expect(kept).toEqual([]);
}, 300_000);
