import { isObjectType } from 'graphql';
import { clientSchemaOfRooms } from '../../../src/app/serve.ts';
import { EXPECTED } from '../walk.ts';
import type { Call, Target } from './matrix.ts';

/** The root fields that find a record of any type by its id. */
export const LOOKUPS: ReadonlySet<string> = new Set(['node', 'nodes']);

/**
 * `node` and `nodes` for every type that is a `Node`. The root field of the type says who may read it. `nodes` answers null for what `node`
 * refuses.
 */
export function nodeCells(): ((target: Target) => Call)[] {
  const types = Object.values(clientSchemaOfRooms().getTypeMap())
    .filter(isObjectType)
    .filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'));
  if (types.length === 0) throw new Error('No type of the schema is a Node');
  return types.flatMap(({ name }) => {
    const [root, expected] = [...EXPECTED].find(([field]) => field.toLowerCase() === name.toLowerCase())!;
    const common = { root, expected, writes: false, named: true, method: 'POST', path: '/graphql', denied: 403 };
    const of = ({ ids }: Target) => ids[expected.of!];
    const found = `{ __typename ... on ${name} { id } }`;
    return [
      (target: Target): Call => ({
        ...common,
        name: `query node ${name}`,
        body: { query: `query($id: ID!) { node(id: $id) ${found} }`, variables: { id: of(target) } },
      }),
      (target: Target): Call => ({
        ...common,
        name: `query nodes ${name}`,
        body: { query: `query($ids: [ID!]!) { nodes(ids: $ids) ${found} }`, variables: { ids: [of(target)] } },
        hides: true,
      }),
    ];
  });
}
