import { type FieldNode, type GraphQLField, type GraphQLObjectType, type GraphQLResolveInfo, getArgumentValues } from 'graphql';
import type { Context } from '../../context.ts';

export type Path = GraphQLResolveInfo['path'];
/**
 * Makes of what a resolver gave what the answer has.
 * @throws whatever it is, if something about it is unusual: a value that is missing or of another type, an error in place of a value
 */
export interface Complete {
  (value: unknown, run: Completion, path: Path | undefined): unknown;
  /** Some field has a resolver, which gets the path; absent otherwise. */
  resolves?: true;
}

/** A field of an object with a resolver of its own. */
export interface Resolved {
  key: string;
  field: GraphQLField<unknown, Context>;
  parentType: GraphQLObjectType;
  fieldNodes: readonly FieldNode[];
  takesArguments: boolean;
  complete: Complete;
}

/** An answer of a root field cannot be completed in the usual way. */
export class Unusual extends Error {
  /** Something failed, which may go well the next time; otherwise it is about the value itself. */
  get hasFailed(): boolean {
    return 'cause' in this;
  }
}

/** The completing of what one root field gave. */
export class Completion {
  readonly #info: GraphQLResolveInfo;
  readonly #context: Context;
  /** Resolvers whose values have not arrived yet. */
  #waiting = 0;
  #failure: unknown;
  #arrived: (() => void) | undefined;

  constructor(info: GraphQLResolveInfo, context: Context) {
    this.#info = info;
    this.#context = context;
  }

  /** @returns the answer, at once unless a field below waits for something: then nothing waits any more when it is there. @throws Unusual */
  run(complete: Complete, value: unknown): unknown {
    let answer: unknown;
    try {
      answer = unlessUnusual(() => complete(value, this, this.#info.path));
    } catch (error) {
      if (this.#waiting === 0) throw error;
      this.#failure = error;
    }
    if (this.#waiting === 0) return answer;
    return new Promise((resolve, reject) => {
      this.#arrived = () => (this.#failure === undefined ? resolve(answer) : reject(this.#failure));
    });
  }

  /** Asks the resolver of a field, and puts what it gives into the answer when it is there. */
  resolve(made: Record<string, unknown>, of: Resolved, source: unknown, parent: Path | undefined): void {
    const { key, field, parentType, fieldNodes, complete } = of;
    const path = { prev: parent, key, typename: parentType.name };
    const info = { ...this.#info, fieldName: field.name, fieldNodes, returnType: field.type, parentType, path };
    const args = of.takesArguments
      ? getArgumentValues(field as GraphQLField<unknown, unknown>, fieldNodes[0]!, this.#info.variableValues)
      : {};
    const value: unknown = field.resolve!(source, args, this.#context, info);
    if (!isPromise(value)) {
      made[key] = complete(value, this, path);
      return;
    }
    this.#waiting++;
    const keep = (arrived: unknown) => {
      made[key] = unlessUnusual(() => complete(arrived, this, path));
    };
    // Every promise is waited for, so that none is rejected unheard.
    void value
      .then(keep)
      .catch((error: unknown) => {
        this.#failure ??= error instanceof Unusual ? error : new Unusual('a resolver failed', { cause: error });
      })
      .then(() => {
        if (--this.#waiting === 0) this.#arrived?.();
      });
  }
}

export const isPromise = (value: unknown): value is Promise<unknown> => typeof (value as { then?: unknown } | null)?.then === 'function';

function unlessUnusual<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof Unusual ? error : new Unusual('what was resolved is unusual', { cause: error });
  }
}
