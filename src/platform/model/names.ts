import { type GraphQLInputObjectType, type GraphQLInputType, getNamedType, getNullableType, isListType, isNonNullType } from 'graphql';
import { modelKeyOf, modelOfName } from './about.ts';

/** The wire name of a GraphQL name: `siteId` -> `site_id`, `pickupGPSFix` -> `pickup_gps_fix`. Names that are snake_case already stay. */
export function wireName(name: string): string {
  // Header names (`Idempotency-Key`) and bracketed parameters are wire names already.
  if (!/^\w+$/.test(name)) return name;
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toLowerCase();
}

/** The GraphQL variable of a path parameter: `order-id` -> `orderId`. */
export function variableOfParam(param: string): string {
  return param.replace(/[-_]([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** A GraphQL path in wire names: `waypoints.1.siteId` -> `waypoints.1.site_id`. */
export function wirePath(path: string): string {
  return path.split('.').map(wireName).join('.');
}

/** The record an input type is about: as it says (`@About`), else as its name does, `CreateOrderInput` -> `Order`. */
export function modelOfInput(type: GraphQLInputType): string {
  const inner = getNamedType(type);
  const { [modelKeyOf(inner.name)]: own, model: inherited } = inner.extensions;
  return ((own ?? inherited) as string | undefined) ?? modelOfName(inner.name);
}

/** The innermost input object's name behind lists and non-nulls, or undefined for scalars. */
export function unwrapped(type: GraphQLInputType): GraphQLInputType {
  let inner: GraphQLInputType = type;
  for (;;) {
    if (isNonNullType(inner)) inner = getNullableType(inner) as GraphQLInputType;
    else if (isListType(inner)) inner = inner.ofType as GraphQLInputType;
    else return inner;
  }
}

const fieldNames = new WeakMap<GraphQLInputObjectType, Map<string, string>>();

/** Wire name -> GraphQL name of an input type's fields. @throws Error when two fields share a wire name */
export function wireFields(type: GraphQLInputObjectType): Map<string, string> {
  const known = fieldNames.get(type);
  if (known) return known;
  const names = new Map<string, string>();
  for (const [name, { extensions }] of Object.entries(type.getFields())) {
    if (extensions.graphqlOnly) continue;
    const wire = wireName(name);
    if (names.has(wire)) throw new Error(`${type.name}.${name} and ${type.name}.${names.get(wire)} have the same wire name ${wire}`);
    names.set(wire, name);
  }
  fieldNames.set(type, names);
  return names;
}
