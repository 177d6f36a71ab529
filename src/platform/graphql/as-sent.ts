import type { GraphQLNamedType } from 'graphql';
import { Extensions, getMetadataStorage } from 'type-graphql';

const types = new WeakSet<Function>();
const kept = new WeakMap<object, () => unknown>();

/**
 * Has an input handed to resolvers as it was read, and not as an instance of its class: for inputs with hundreds of elements, of which type-graphql
 * would copy every one twice. REST reads it once and for all, so that the compiled document does not read it again; its decimals stay numbers and texts
 * then. The rules of its fields hold as everywhere.
 */
export function AsSent(): ClassDecorator {
  const extend = Extensions({ asSent: true }) as ClassDecorator;
  return (type) => {
    types.add(type);
    extend(type);
  };
}

/** Whether an input is handed to resolvers as it was read. */
export const isAsSent = (type: GraphQLNamedType): boolean => type.extensions.asSent === true;

/** Makes a schema, whose resolvers get such inputs as they are. They are looked up by their classes while it is made. */
export function handAsSent<T>(make: () => T): T {
  for (const param of getMetadataStorage().params)
    if (param.kind === 'arg' && kept.has(param)) param.getType = kept.get(param) as typeof param.getType;
  const made = make();
  for (const param of getMetadataStorage().params) {
    if (param.kind !== 'arg' || !types.has(param.getType() as Function)) continue;
    kept.set(param, param.getType);
    param.getType = () => Object;
  }
  return made;
}
