import { randomUUID } from 'node:crypto';
import { type GraphQLInputType, getNamedType, getNullableType, isInputObjectType, isListType } from 'graphql';
import { schemaOfRooms } from '../../../src/app/serve.ts';
import type { TestApp } from '../app.ts';
import type { Tenant } from '../tenant.ts';
import { expectationOf, graphqlCall, type Ids, idsUsed, makeIds } from '../walk.ts';
import { KINDS } from './kinds.ts';
import { sampleInput } from './samples.ts';

/** Ids in an answer or a row. */
export const UUIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The path to an id in an input: the names of the fields, and their types. */
interface Path {
  names: string[];
  types: GraphQLInputType[];
}

const schema = schemaOfRooms();
const mutations = Object.values(schema.getMutationType()!.getFields());

function pathsOf(type: GraphQLInputType, names: string[] = [], types: GraphQLInputType[] = [], above: string[] = []): Path[] {
  const named = getNamedType(type);
  if (!isInputObjectType(named)) return named.name === 'ID' ? [{ names, types }] : [];
  if (above.includes(named.name)) return [];
  return Object.values(named.getFields()).flatMap((field) =>
    pathsOf(field.type, [...names, field.name], [...types, field.type], [...above, named.name]),
  );
}

const isList = (type: GraphQLInputType) => isListType(getNullableType(type));

/** Returns the input with the id at the end of the path; missing objects on the path get their required fields. */
function withId(input: unknown, { names, types }: Path, id: string, ids: Ids, tenant: Tenant, at = 0): unknown {
  const name = names[at];
  const type = types[at];
  if (name === undefined || type === undefined) return id;
  const fields = { ...(input as Record<string, unknown>) };
  const known = isList(type) ? (fields[name] as unknown[] | undefined)?.[0] : fields[name];
  const inside = at === names.length - 1 ? undefined : (known ?? sampleInput(getNamedType(type) as GraphQLInputType, tenant, ids));
  const value = withId(inside, { names, types }, id, ids, tenant, at + 1);
  return { ...fields, [name]: isList(type) ? [value] : value };
}

export interface Asked {
  field: string;
  /** The answers, without ids and times. */
  foreign: string;
  nothing: string;
  refused: boolean;
}

/**
 * Sends each id of each input of each mutation twice, as the tenant's client: the id of another company's record, and one that names nothing.
 */
export async function askBodies(app: TestApp, tenant: Tenant, foreign: Ids): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (const mutation of mutations) asked.push(...(await ask(mutation, app, tenant, foreign)));
  return asked;
}

async function ask(mutation: (typeof mutations)[number], app: TestApp, tenant: Tenant, foreign: Ids): Promise<Asked[]> {
  const expected = expectationOf(mutation.name);
  const callWith = (ids: Ids) => graphqlCall('mutation', mutation, expected, ids, tenant);
  let ids: Ids | undefined;
  const asked: Asked[] = [];
  for (const argument of mutation.args) {
    for (const path of isInputObjectType(getNamedType(argument.type)) ? pathsOf(argument.type) : []) {
      const kind = KINDS.find(([pattern]) => pattern.test(path.names.at(-1)!))?.[1];
      if (!kind) continue;
      const send = async (id: string) => {
        ids ??= await makeIds(tenant, mutation.name, idsUsed(callWith));
        const { query, variables } = callWith(ids);
        const given = variables[argument.name] ?? sampleInput(getNamedType(argument.type) as GraphQLInputType, tenant, ids);
        const first = inOwn(Array.isArray(given) ? given[0] : given, argument.type, tenant);
        const one = withId(first, path, id, ids, tenant);
        const { body } = await app.graphql(
          query,
          { ...variables, [argument.name]: isList(argument.type) ? [one] : one },
          { token: tenant.token },
        );
        const done = Object.values(body.data ?? {}).some((value) => value !== null);
        // A successful call used its records up, so the next one gets new ones.
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

/** Sets the tenant's company in what is created, even for callers who would create it in another company. */
function inOwn(input: unknown, type: GraphQLInputType, tenant: Tenant): unknown {
  const named = getNamedType(type);
  return isInputObjectType(named) && named.getFields().companyId ? { companyId: tenant.company.id, ...(input as object) } : input;
}
