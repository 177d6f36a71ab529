import type { GraphQLResolveInfo } from 'graphql';
import { Arg, type ClassType, Ctx, ID, Info, Mutation, Resolver } from 'type-graphql';
import { type Requirement, Requires } from '../authz/field-permissions.ts';
import { answeredBy } from '../commands/answer-ahead.ts';
import type { Context, RecordPath } from '../context.ts';

/** Options of the company of a scoped path. */
export const companyArg = { nullable: true, description: 'Only in this company; by default, anything you may see.' };

type Command = (ctx: Context, path: RecordPath) => Promise<unknown>;
interface Entry {
  command: (ctx: Context, path: RecordPath, input?: object) => Promise<unknown>;
  input?: ClassType<object>;
  optional?: boolean;
  description?: string;
}
/** An entry that says who may call it. */
interface PermittedEntry extends Entry {
  requires: readonly (readonly Requirement[])[];
}

/**
 * A line of a table of mutations: the requirements of which a caller must meet one, as in `@Requires`, and the command.
 * @param command a command on a record that takes only its path, or an entry
 */
export function requires(oneOf: readonly Requirement[], command: Command | Entry | PermittedEntry): PermittedEntry {
  const entry: Entry = typeof command === 'function' ? { command } : command;
  return { ...entry, requires: [oneOf, ...('requires' in entry ? (entry as PermittedEntry).requires : [])] };
}

/** A command on a record that takes only its path, with a description for the schema. */
export const describe = (description: string, command: Command): Entry => ({ command, description });

/** A command on a record that takes an input. */
export const withInput = <I extends object>(
  input: ClassType<I>,
  command: (ctx: Context, path: RecordPath, input: I) => Promise<unknown>,
  description?: string,
): Entry => ({ command: command as Entry['command'], input, description });

/** A command on a record whose input may be left out; absent is the same as empty. */
export const withOptionalInput = <I extends object>(...of: Parameters<typeof withInput<I>>): Entry => ({
  ...withInput(...of),
  optional: true,
});

/**
 * Mutations on one record, one line each: the name is that of the field in the schema, the value is who may call it and the command. The
 * answer is the record, through the read planner.
 * @returns resolvers, one for each mutation
 */
export function mutationsOf<T extends object>(entity: ClassType<T>, commands: Record<string, PermittedEntry>): Function[] {
  return Object.entries(commands).map(([name, entry]) => {
    const made = mutationOf(entity, name, entry);
    for (const oneOf of entry.requires.toReversed()) Requires(...oneOf)(made.prototype, 'run', {});
    return made;
  });
}

/** The parameter of a command that takes only a path. */
const noInput: ParameterDecorator = () => undefined;

function mutationOf<T extends object>(entity: ClassType<T>, name: string, { command, input, optional, description }: Entry): Function {
  const inputParameter = input ? (Arg('input', () => input, { nullable: optional }) as ParameterDecorator) : noInput;
  @Resolver(() => entity)
  class RecordMutation {
    @Mutation(() => entity, { name, description })
    async run(
      @Ctx() ctx: Context,
      @Info() info: GraphQLResolveInfo,
      @Arg('id', () => ID) id: string,
      @Arg('companyId', () => ID, companyArg) companyId?: string,
      // Last, because type-graphql counts only the parameters that have a decorator.
      @inputParameter given?: object,
    ): Promise<T> {
      const inputs = input ? [given ?? {}] : [];
      await answeredBy(ctx, ctx.read.ahead(entity, info, id), () => command(ctx, { id, companyId }, ...inputs));
      return ctx.read.one(entity, info, { id });
    }
  }
  return RecordMutation;
}
