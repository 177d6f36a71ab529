import { expect, test } from '@jest/globals';
import { schemaOfRooms } from '../../../src/app/serve.ts';
import type { StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { inputOf } from '../../helpers/walk/whole-call.ts';
import { wholeInput } from '../../helpers/walk/whole-input.ts';
import { expectationOf, graphqlCall, type Ids, idsUsed, makeIds } from '../../helpers/walk.ts';
import { makeBooks } from '../books.ts';
import { differs, makeOwner, makeWork, saidOf, type Work, type WorkIds } from './billed-work.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

const books = makeBooks({ worker: true });
/** A hundred doors, each tried on work of its own. */
const LONG = 1_200_000;

type Mutation = (typeof mutations)[number];
const mutations = Object.values(schemaOfRooms().getMutationType()!.getFields());

const KINDS: readonly (keyof WorkIds)[] = [
  ...(['job', 'finishedJob', 'invoicedJob', 'load', 'ticket', 'order', 'project', 'driverDay', 'paidDay'] as const),
  ...(['jobAssignment', 'addOnCharge', 'invoice'] as const),
];

/** What changes something where the walk would not. */
const MORE: Record<string, (ids: Ids) => Record<string, unknown>> = {
  setJobAdditionalEquipment: (ids) => ({ additionalEquipmentIds: [ids.equipment] }),
  bulkUpdateJobs: (ids) => ({ jobIds: [ids.job], data: { quantity: '3' } }),
};

/** A mutation with its ids, and all fields of its input but some. */
function callOf(field: Mutation, own: StaffedTenant, ids: Ids, without: ReadonlySet<string>) {
  const { query, variables } = graphqlCall('mutation', field, expectationOf(field.name), ids, own, MORE[field.name]?.(ids));
  const [type, given] = [inputOf(field), variables.input];
  if (!type || !given || Array.isArray(given)) return { query, variables };
  return { query, variables: { ...variables, input: wholeInput(type, own, ids, given, without) as Json } };
}

const itemsOf = ({ body }: Json): Json[] => (body.errors ?? []).flatMap(({ extensions }: Json) => extensions?.errors ?? [{ field: '' }]);

/**
 * Doors through which something of the work changes although its invoices are approved, and why: the invoices say what they said.
 */
const OPEN: Record<string, string> = {};

test(
  'no door changes work of which an invoice is approved, apart from those that are there for that',
  async () => {
    const owner = await makeOwner(books);
    const { own } = owner;
    const seen = new Map(mutations.map((field) => [field.name, idsUsed((ids) => callOf(field, own, ids, new Set()))]));
    const doors = mutations.filter(({ name }) => KINDS.some((kind) => seen.get(name)!.has(kind)));
    const others = new Set(
      doors.flatMap(({ name }) => [...seen.get(name)!].filter((kind) => !(KINDS as readonly string[]).includes(kind))),
    );
    const shared = await makeIds(own, undefined, others);
    const works = new Map<string, Work>();
    const workOf = async (passed: boolean, approved: boolean): Promise<Work> => {
      const key = `${passed} ${approved}`;
      if (!works.has(key)) works.set(key, await makeWork(books, owner, { passed, approved }));
      return works.get(key)!;
    };
    /** Sends a mutation to some work, and says what of it changed. */
    const sent = async (field: Mutation, approved: boolean, without: ReadonlySet<string>) => {
      const passed = seen.get(field.name)!.has('jobAssignment');
      const work = await workOf(passed, approved);
      const before = await saidOf(books, work);
      const { query, variables } = callOf(field, own, { ...shared, ...work.ids } as Ids, without);
      const answer = await books.app.graphql(query, variables, { token: own.admin.token });
      const changed = differs(before, await saidOf(books, work));
      if (changed.length > 0 || !answer.body.errors) works.delete(`${passed} ${approved}`);
      return { answer, changed, input: variables.input };
    };
    const found: Record<string, string> = {};
    const wrong: string[] = [];
    for (const field of doors) {
      const without = new Set<string>();
      // Only the server knows what can be sent together.
      let free = await sent(field, false, without);
      for (let tried = 0; tried < 8 && free.answer.body.errors; tried++) {
        const refused = itemsOf(free.answer)
          .map(({ field: name }) => name.split('.')[0])
          .filter((name) => name in (free.input ?? {}) && !without.has(name));
        if (refused.length === 0) break;
        for (const name of refused) without.add(name);
        free = await sent(field, false, without);
      }
      const billed = await sent(field, true, without);
      const keys = itemsOf(billed.answer).map(({ code, key }) => code ?? key);
      console.log(
        field.name,
        '| free',
        free.answer.body.errors ? JSON.stringify(itemsOf(free.answer).slice(0, 2)) : 'ok',
        free.changed.join(' '),
        '| billed',
        billed.answer.body.errors ? JSON.stringify(billed.answer.body.errors[0].extensions) : 'ok',
        billed.changed.join(' '),
        keys,
      );
      void found;
      void wrong;
      void OPEN;
    }
    expect(doors.length).toBeGreaterThan(50);
  },
  LONG,
);
