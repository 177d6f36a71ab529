import { Extensions } from 'type-graphql';

const declared = new WeakMap<Function, string>();

/**
 * Says which record an input is about if its name does not: `CreateOrderInput` is about an Order by its name, `CopyOrderInput` needs
 * `@About('Order')`. Errors of both interfaces name it as their `model`.
 */
export function About(model: string): ClassDecorator {
  return (type) => {
    declared.set(type, model);
    (Extensions({ model, [modelKeyOf(type.name)]: model }) as ClassDecorator)(type);
  };
}

/**
 * The extension with the model of a type that says it itself. type-graphql gives a class the extensions of its parents, which take the place of
 * its own or not, depending on how often a schema was built.
 */
export const modelKeyOf = (type: string): string => `model of ${type}`;

/** The record that an input class, or the name of one, is about. */
export function modelOfClass(type: Function): string {
  return declared.get(type) ?? modelOfName(type.name);
}

/** `CreateOrderInput` -> `Order`. */
export function modelOfName(name: string): string {
  return name.replace(/^(Create|Update)|Input$/g, '') || name;
}
