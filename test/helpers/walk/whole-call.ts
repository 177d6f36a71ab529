import { type GraphQLField, getNamedType, isInputObjectType } from 'graphql';
import type { Answer } from '../app.ts';
import type { Tenant } from '../tenant.ts';
import { expectationOf } from '../walk.ts';
import { graphqlCall } from './calls.ts';
import { type Ids, idsUsed } from './ids.ts';
import { makeIds } from './makers.ts';
import { wholeInput } from './whole-input.ts';

type Field = GraphQLField<unknown, unknown>;
interface MutationCall {
  query: string;
  variables: Record<string, unknown>;
}

/** Returns whether an answer is an internal error. */
export const isFault = ({ status, body }: Answer): boolean =>
  status >= 500 ||
  (body?.errors ?? []).some((one: { extensions?: { code?: string } }) => /internal/.test(one.extensions?.code ?? 'internal'));
export const isDone = ({ body }: Answer): boolean => body.errors === undefined;
export const reported = (answers: readonly Answer[]): string[] => answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`);

/** Returns the input of a mutation, if it is one object with fields. */
export const inputOf = (field: Field) => {
  const type = getNamedType(field.args.find(({ name }) => name === 'input')?.type);
  return isInputObjectType(type) ? type : undefined;
};

/**
 * Returns a mutation with new records and its required input, or with all fields that can be sent together: those that the server refuses
 * are left out.
 * @param token of the caller who finds out what can be sent together
 */
export async function mutationCall(tenant: Tenant, field: Field, token: string, whole: boolean): Promise<MutationCall & { ids: Ids }> {
  const without = new Set<string>();
  const type = inputOf(field);
  const callWith = (ids: Ids): MutationCall => {
    const { query, variables } = graphqlCall('mutation', field, expectationOf(field.name), ids, tenant);
    const given = variables.input;
    if (!whole || !type || !given || Array.isArray(given)) return { query, variables };
    return { query, variables: { ...variables, input: wholeInput(type, tenant, ids, given as object, without) } };
  };
  const fresh = () => makeIds(tenant, field.name, idsUsed(callWith));
  if (whole && type) await leaveOut(tenant, without, callWith(await fresh()), token);
  const ids = await fresh();
  return { ids, ...callWith(ids) };
}

/** Leaves out fields that the server refuses, until the call succeeds or no field is left. */
async function leaveOut(tenant: Tenant, without: Set<string>, call: MutationCall, token: string): Promise<void> {
  const input = { ...(call.variables.input as Record<string, unknown> | undefined) };
  for (let tried = 0; tried < 8; tried++) {
    const answer = await tenant.app.graphql(call.query, { ...call.variables, input }, { token });
    const wrong = refused(answer).filter((name) => name in input);
    if (wrong.length === 0) return;
    for (const name of wrong) {
      without.add(name);
      delete input[name];
    }
  }
}

/** Returns the fields of the input that an answer refuses. */
const refused = ({ body }: Answer): string[] =>
  (body.errors ?? []).flatMap((one: { extensions?: { errors?: { field: string }[] } }) =>
    (one.extensions?.errors ?? []).map(({ field }) => field.split('.')[0]!),
  );
