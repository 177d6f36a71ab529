import { getMetadataStorage } from 'type-graphql';

const types = new WeakSet<Function>();
const kept = new WeakMap<object, () => unknown>();

/**
 * Has an input handed to resolvers as it was read, and not as an instance of its class: for inputs with hundreds of elements, of which type-graphql
 * would copy every one twice. The rules of its fields hold as everywhere.
 */
export const AsSent = (): ClassDecorator => (type) => void types.add(type);

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
