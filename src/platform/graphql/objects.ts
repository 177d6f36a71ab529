import { type FieldNode, type GraphQLResolveInfo, type GraphQLSchema, isObjectType } from 'graphql';
import type { Context } from '../context.ts';
import { loaderOf } from '../read/loader.ts';
import { NodeReader, nodeInterface } from './node.ts';

/** An id among the fields of a type, and the object that is answered next to it. */
export interface ObjectField {
  /** The field as `Signature.signableId`. */
  id: string;
  name: string;
  /** The type of the record; `Node` if it may be of several. */
  of: string;
  /** A field of the same type that names the type of the record, so that it need not be looked for. */
  typedBy?: string;
  /** A field of the same type, and its values with which the object is null, even if the viewer would see it elsewhere. */
  nullIf?: { field: string; is: readonly string[] };
}

/**
 * Adds the objects next to bare ids. They are found as `nodes` finds them, in one statement for all rows of a place, with the permissions of the
 * root field of their type. An object is null where the viewer may not see it.
 */
export function addObjects(schema: GraphQLSchema, objects: readonly ObjectField[]): void {
  const nodes = new NodeReader(schema);
  for (const { id, name, of, typedBy, nullIf } of objects) {
    const [owner, key] = id.split('.') as [string, string];
    const type = schema.getType(owner);
    const target = of === nodeInterface.name ? nodeInterface : schema.getType(of);
    if (!isObjectType(type) || !type.getFields()[key] || !(target === nodeInterface || isObjectType(target)))
      throw new Error(`${id}: there is no such field, or no type ${of}`);
    type.getFields()[name] = {
      name,
      description: `The record that \`${key}\` names. Null if it does not exist, or you may not see it.`,
      type: target,
      args: [],
      resolve: (source: Record<string, string | null | undefined>, _args: unknown, ctx: Context, info: GraphQLResolveInfo) => {
        const named = source[key];
        if (!named || nullIf?.is.includes(source[nullIf.field] ?? '')) return null;
        const known = typedBy ? (source[typedBy] ?? '') : '';
        const read = (ids: readonly string[]) =>
          of === nodeInterface.name ? nodes.read(ids, ctx, info, known) : nodes.readOf(of, ids, ctx, info);
        return loaderOf<object | null>(ctx, `object ${placeOf(info)} ${known}`, read).load(named);
      },
      deprecationReason: undefined,
      extensions: {},
      astNode: undefined,
    };
  }
}

const places = new WeakMap<FieldNode, number>();
let known = 0;
/** Names the places of a document at which a field is selected: what is selected of a record depends on them. */
const placeOf = ({ fieldNodes }: GraphQLResolveInfo): string =>
  fieldNodes
    .map((node) => {
      const place = places.get(node) ?? ++known;
      places.set(node, place);
      return place;
    })
    .join();
