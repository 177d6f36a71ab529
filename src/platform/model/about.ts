import { Extensions } from 'type-graphql';

const declared = new WeakMap<Function, string>();

/**
 * Says which record an input is about if its name does not: `CreateOrderInput` is about an Order by its name, `CopyOrderInput` needs
 * `@About('Order')`. Errors of both interfaces name it as their `model`.
 */
export function About(model: string): ClassDecorator {
  const extend = Extensions({ model }) as ClassDecorator;
  return (type) => {
    declared.set(type, model);
    extend(type);
  };
}

/** The record that an input class, or the name of one, is about. */
export function modelOfClass(type: Function): string {
  return declared.get(type) ?? modelOfName(type.name);
}

/** `CreateOrderInput` -> `Order`. */
export function modelOfName(name: string): string {
  return name.replace(/^(Create|Update)|Input$/g, '') || name;
}
