import { expect, test } from '@jest/globals';
import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql';
import { schemaOfRooms } from '../../../src/app/serve.ts';
import { shareOf } from '../../helpers/properties.ts';
import type { StaffedTenant } from '../../helpers/staffed-tenant.ts';
import { inputOf } from '../../helpers/walk/whole-call.ts';
import { wholeInput } from '../../helpers/walk/whole-input.ts';
import { expectationOf, graphqlCall, type Ids, idsUsed, makeIds } from '../../helpers/walk.ts';
import { makeBooks } from '../books.ts';
import { differs, isSame, makeOwner, makeWork, saidOf, type Work, type WorkIds } from './billed-work.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;
type Mutation = (typeof mutations)[number];

const books = makeBooks({ worker: true });
/** A hundred doors, some of which change the work on which they are tried, so that it is made anew. */
const LONG = 1_800_000;

const mutations = Object.values(schemaOfRooms().getMutationType()!.getFields());
const KINDS: readonly (keyof WorkIds)[] = [
  ...(['job', 'finishedJob', 'invoicedJob', 'load', 'ticket', 'order', 'project', 'driverDay', 'paidDay'] as const),
  ...(['jobAssignment', 'addOnCharge', 'invoice'] as const),
];
const isWork = (kind: string): boolean => (KINDS as readonly string[]).includes(kind);

/** What changes something where the walk would not. */
const MORE: Record<string, (ids: Ids) => Record<string, unknown>> = {
  setJobAdditionalEquipment: (ids) => ({ additionalEquipmentIds: [ids.equipment] }),
  bulkUpdateJobs: (ids) => ({ jobIds: [ids.job], data: { quantity: '3' } }),
};
/** Fields by which all of an input is refused, with an error that does not name them: work that is done is assigned to nobody else. */
const WITHOUT: Record<string, string[]> = {
  updateJob: ['driverId'],
  updateDriverDay: ['adjustedStartedShiftAt', 'adjustedEndedShiftAt'],
};
/** Fields that fit the work, where those of the walk are of another day. */
const GIVEN: Record<string, object> = {
  updateDriverDay: { shiftAdjustmentMinutes: 15, shiftAdjustmentType: 'wait_time' },
  updateLoadSummary: { arrivedPickupAt: null, loadedAt: null, arrivedDropoffAt: null, unloadedAt: null },
};

/** Doors through which an approved invoice becomes stale: what comes late has happened, and a supplement bills it (D-PROOF-76). */
const LATE = [
  ...['createTicket', 'createJobAddOnCharge', 'changeJobAddOnCharges', 'createDriverDayAddOnCharge', 'changeDriverDayAddOnCharges'],
  ...['updateAddOnCharge', 'deleteAddOnCharge'],
];
/** Doors of what prices other work as well, and leaves what is approved as it is (D-BILLING-216, D-PROOF-76). */
const OF_OTHERS = ['createProjectAutoAddOnAssignment', 'createOrderAutoAddOnAssignment', 'updateOrder', 'updateProject'];
/** What is done with an approved invoice itself. */
const OF_BILLING = ['approveInvoice', 'unapproveInvoice', 'payInvoice', 'voidInvoice', 'createSettlement'];
const OPEN = new Set([...LATE, ...OF_OTHERS, ...OF_BILLING]);
/** Doors that are known to change the work, so that the test cannot come to see none. */
const REFUSING = [
  ...['updateJob', 'setJobEquipment', 'setJobAdditionalEquipment', 'setJobPhase', 'updateJobAssignment', 'updateJobSummary'],
  ...['approveJob', 'updateLoad', 'updateLoadSummary', 'updateTicket', 'voidTicket', 'deleteTicket', 'updateDriverDay', 'updateInvoice'],
];

/** A mutation with its ids, and all fields of its input but some. */
function callOf(field: Mutation, own: StaffedTenant, ids: Ids, without: ReadonlySet<string>) {
  const { query, variables } = graphqlCall('mutation', field, expectationOf(field.name), ids, own, MORE[field.name]?.(ids));
  const [type, given] = [inputOf(field), variables.input];
  if (!type || !given || Array.isArray(given)) return { query, variables };
  return { query, variables: { ...variables, input: wholeInput(type, own, ids, { ...given, ...GIVEN[field.name] }, without) as Json } };
}
const usedBy = (field: Mutation, own: StaffedTenant, whole: boolean): ReadonlySet<string> =>
  idsUsed((ids) =>
    whole
      ? callOf(field, own, ids, new Set())
      : graphqlCall('mutation', field, expectationOf(field.name), ids, own, MORE[field.name]?.(ids)),
  );

/** Whether an input names work, perhaps without having to. */
function namesWork(type: GraphQLInputType): boolean {
  const named = getNamedType(type);
  return isInputObjectType(named) && Object.keys(named.getFields()).some((name) => /^(job|load|driverDay|ticket|invoice)Ids?$/.test(name));
}

const itemsOf = ({ body }: Json): Json[] => (body.errors ?? []).flatMap(({ extensions }: Json) => extensions?.errors ?? []);

test(
  'no door changes work of which an invoice is approved, apart from those that are there for that',
  async () => {
    const owner = await makeOwner(books);
    const { own } = owner;
    const doors = mutations.filter(
      (field) => [...usedBy(field, own, false)].some(isWork) || field.args.some(({ type }) => namesWork(type)),
    );
    const others = doors.map(({ name }) => name).filter((name) => !REFUSING.includes(name));
    const part = new Set([...shareOf(REFUSING, 4), ...shareOf(others, 4)]);
    const tried = doors.filter(({ name }) => part.has(name));
    const seen = new Map(tried.map((field) => [field.name, usedBy(field, own, true)]));
    const shared = await makeIds(
      own,
      undefined,
      new Set([...seen.values()].flatMap((kinds) => [...kinds]).filter((kind) => !isWork(kind))),
    );
    const works = new Map<string, { work: Work; said: Awaited<ReturnType<typeof saidOf>> }>();
    const workOf = async (passed: boolean, approved: boolean) => {
      const key = `${passed} ${approved}`;
      if (!works.has(key)) {
        const work = await makeWork(books, owner, { passed, approved });
        works.set(key, { work, said: await saidOf(books, work) });
      }
      return works.get(key)!;
    };
    /** Sends a mutation to some work, and says what of it changed; what is refused changes nothing. */
    const sent = async (field: Mutation, approved: boolean, without: ReadonlySet<string>) => {
      const passed = seen.get(field.name)!.has('jobAssignment');
      const { work, said } = await workOf(passed, approved);
      const { query, variables } = callOf(field, own, { ...shared, ...work.ids } as Ids, without);
      const answer = await books.app.graphql(query, variables, { token: own.admin.token });
      const input = variables.input as Json;
      if (answer.body.errors) return { answer, input, changed: [] };
      const after = await saidOf(books, work);
      if (!isSame(said, after)) works.delete(`${passed} ${approved}`);
      // It names the versions of what a draft was priced by.
      return { answer, input, changed: differs(said, after).filter((name) => name !== 'invoice.explanation') };
    };
    const refusing: string[] = [];
    const wrong: string[] = [];
    for (const field of tried) {
      const without = new Set(['version', ...(WITHOUT[field.name] ?? [])]);
      // Only the server knows what can be sent together.
      let free = await sent(field, false, without);
      for (let again = 0; again < 8 && free.answer.body.errors; again++) {
        const refused = itemsOf(free.answer)
          .map(({ field: name }) => name.split('.')[0])
          .filter((name) => name in (free.input ?? {}) && !without.has(name));
        if (refused.length === 0) break;
        for (const name of refused) without.add(name);
        free = await sent(field, false, without);
      }
      const billed = await sent(field, true, without);
      const isRefused = Boolean(billed.answer.body.errors);
      if (free.changed.length > 0 && isRefused) refusing.push(field.name);
      // What comes next is tried on an invoice that is approved, and nothing more.
      if (OF_BILLING.includes(field.name)) works.clear();
      if (OPEN.has(field.name)) continue;
      if (billed.changed.length > 0) wrong.push(`${field.name} changes ${billed.changed.join(', ')}`);
      // A bulk action says of each job whether it was done.
      else if (free.changed.length > 0 && !isRefused && !field.name.startsWith('bulk'))
        wrong.push(`${field.name} is answered as if it changed ${free.changed.join(', ')}`);
    }
    expect(wrong).toEqual([]);
    expect(refusing).toEqual(expect.arrayContaining([...shareOf(REFUSING, 4)]));
    expect([...OPEN].filter((name) => !doors.some((door) => door.name === name))).toEqual([]);
  },
  LONG,
);
