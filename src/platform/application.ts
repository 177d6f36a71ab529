import type { EntityManager } from '@mikro-orm/postgresql';

/** A value of which each application has its own. */
interface Part<T> {
  readonly name: string;
  /** Makes the value at its first use; absent for a value that has to be provided when the application is started. */
  readonly make?: () => T;
}

/**
 * One running product: its settings, what it works with (storage, wakers, services of others) and what it remembers. It belongs to the
 * database connections that it works on, so that code with an EntityManager has the application, too, and two applications of one process
 * cannot take each other's values.
 */
export class Application {
  readonly #values = new Map<Part<unknown>, unknown>();

  /** Sets a value of this application; it holds from the next use on. */
  provide<T>(part: Provided<T>, value: T): this {
    this.#values.set(part, value);
    return this;
  }

  /** @throws Error for what nobody provided, which is a mistake in how the application was started */
  valueOf<T>(part: Part<T>): T {
    const value = this.#values.get(part);
    if (value !== undefined || this.#values.has(part)) return value as T;
    if (!part.make) throw new Error(`this application has no ${part.name}: it has to be provided at the start`);
    const made = part.make();
    this.#values.set(part, made);
    return made;
  }
}

/** An application, or an EntityManager of it: what a command, a worker and an endpoint have. */
export type InApplication = Application | EntityManager;

/** Names a value of applications. */
class ApplicationPart<T> implements Part<T> {
  readonly name: string;
  readonly make?: () => T;

  constructor(name: string, make?: () => T) {
    this.name = name;
    this.make = make;
  }

  /** The value of the application. @throws Error where nobody provided one: it is never another application's, nor a default */
  of(application: InApplication): T {
    return (application instanceof Application ? application : applicationOf(application)).valueOf(this);
  }
}

/** A value that is provided when an application is started: a setting or a service. */
export interface Provided<T> extends Part<T> {
  of(application: InApplication): T;
}

/** @param name in the sentence of the error if nobody provided it: "this application has no ..." */
export function provided<T>(name: string): Provided<T> {
  return new ApplicationPart<T>(name);
}

/** A value that each application makes for itself at the first use, unless another one is provided: a cache, a count. */
export function perApplication<T>(name: string, make: () => T): Provided<T> {
  return new ApplicationPart<T>(name, make);
}

/** By the driver, which an EntityManager shares with all of its forks. */
const applications = new WeakMap<object, Application>();

/** Makes the connections of an EntityManager, and of all of its forks, those of an application. */
export function joinApplication(em: EntityManager, application: Application): void {
  applications.set(em.getDriver(), application);
}

/** @throws Error for an EntityManager that was not made by `createOrm` */
export function applicationOf(em: EntityManager): Application {
  const application = applications.get(em.getDriver());
  if (!application) throw new Error('these database connections belong to no application: make them with createOrm');
  return application;
}
