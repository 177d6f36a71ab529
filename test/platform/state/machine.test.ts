import { expect, test } from '@jest/globals';
import type { Context } from '../../../src/platform/context.ts';
import { Conflict } from '../../../src/platform/errors.ts';
import { defineMachine } from '../../../src/platform/state/machine.ts';

type State = 'created' | 'accepted' | 'hold' | 'completed' | 'canceled';
interface Order {
  state: string;
  heldFrom?: State | null;
  discarded?: boolean;
}
interface Facts {
  jobsStarted: number;
}

const orders = defineMachine({
  model: 'TestOrder',
  states: ['created', 'accepted', 'hold', 'completed', 'canceled', 'expired'],
  initial: ['created', 'hold'],
  terminal: ['completed', 'canceled', 'expired'],
  internal: ['expire'],
  happened: { accept: 'accepted', hold: 'held', release: 'released', complete: 'completed', cancel: 'canceled', expire: 'expired' },
  events: {
    accept: [{ from: ['created'], to: 'accepted', guard: (order: Order, _facts: Partial<Facts>) => !order.discarded }],
    hold: [{ from: ['created', 'accepted'], to: 'hold' }],
    release: [{ from: ['hold'], to: (order) => order.heldFrom ?? 'created', among: ['created', 'accepted'] }],
    complete: [{ from: ['accepted'], to: 'completed', guard: (_order, facts) => !facts.jobsStarted, refusal: 'jobs_are_running' }],
    cancel: [
      { from: ['created'], to: 'canceled' },
      { from: ['accepted'], to: 'canceled' },
    ],
    expire: [{ from: ['created'], to: 'expired' }],
  },
});

const txContext = () =>
  ({ tx: { now: new Date(), events: [], audits: [], transitions: [], beforeCommit: [], afterCommit: [] } }) as unknown as Context & {
    tx: NonNullable<Context['tx']>;
  };
const order = (state: State, more: Partial<Order> = {}) => ({ id: 'o1', companyId: 'c1', state, ...more });

test('open returns the events that are possible now, in table order, without those of the system', () => {
  expect(orders.open({ state: 'created' })).toEqual(['accept', 'hold', 'cancel']);
  expect(orders.open({ state: 'accepted' })).toEqual(['hold', 'complete', 'cancel']);
  expect(orders.open({ state: 'accepted' }, { jobsStarted: 1 })).toEqual(['hold', 'cancel']);
  expect(orders.open({ state: 'completed' })).toEqual([]);
  expect(orders.open({ state: 'created', discarded: true })).toEqual(['hold', 'cancel']);
  expect(orders.isTerminal({ state: 'canceled' })).toBe(true);
});

test('fire moves the record and writes the transition and the event', () => {
  const tx = txContext();
  const subject = order('created');
  expect(orders.fire(tx, subject, 'accept')).toBe('created');
  expect(subject.state).toBe('accepted');
  expect(tx.tx.transitions).toEqual([{ type: 'TestOrder', id: 'o1', companyId: 'c1', event: 'accept', from: 'created', to: 'accepted' }]);
  expect(tx.tx.events).toEqual([
    {
      name: 'test_order.accepted',
      type: 'TestOrder',
      id: 'o1',
      companyId: 'c1',
      payload: { previous_state: 'created', state: 'accepted', state_event: 'accept' },
    },
  ]);
});

test('a release returns to the state before the hold', () => {
  const subject = order('hold', { heldFrom: 'accepted' });
  orders.fire(txContext(), subject, 'release');
  expect(subject.state).toBe('accepted');
  expect(() => orders.fire(txContext(), order('hold', { heldFrom: 'completed' }), 'release')).toThrow('does not list');
});

test('an impossible event is a conflict with state and event, and changes nothing', () => {
  const tx = txContext();
  const subject = order('completed');
  const refused = capture(() => orders.fire(tx, subject, 'accept'));
  expect(refused).toBeInstanceOf(Conflict);
  expect((refused as Conflict).items).toEqual([
    {
      model: 'TestOrder',
      field: 'state',
      key: 'illegal_event',
      params: { state: 'completed', event: 'accept' },
      state: 'completed',
      event: 'accept',
    },
  ]);
  expect(subject.state).toBe('completed');
  expect(tx.tx.transitions).toEqual([]);
});

test('a refusing condition has its own message', () => {
  const refused = capture(() => orders.fire(txContext(), order('accepted'), 'complete', { jobsStarted: 2 })) as Conflict;
  expect(refused.items).toEqual([expect.objectContaining({ key: 'jobs_are_running', state: 'accepted', event: 'complete' })]);
});

test('a condition that refuses without a reason is a conflict all the same', () => {
  const doors = defineMachine({
    model: 'Door',
    states: ['open', 'shut'],
    initial: ['open'],
    terminal: ['shut'],
    happened: { shut: 'shut' },
    events: { shut: [{ from: ['open'], to: 'shut', guard: (_door: { state: string }, _facts: object) => false, refusal: () => [] }] },
  });
  const door = { id: 'd1', companyId: 'c1', state: 'open' };
  const refused = capture(() => doors.fire(txContext(), door, 'shut')) as Conflict;
  expect(refused.items).toMatchObject([{ model: 'Door', field: 'state', key: 'illegal_event', state: 'open', event: 'shut' }]);
  expect(door.state).toBe('open');
});

test('each of many records is moved by its own transition, and logged for its company', () => {
  const [one, other] = [txContext().tx, txContext().tx];
  const subjects = [
    { id: 'o1', companyId: 'c1', state: 'hold', heldFrom: 'accepted' as const },
    { id: 'o2', companyId: 'c1', state: 'hold' },
  ];
  expect(orders.fireMany(({ id }) => (id === 'o1' ? one : other), subjects, 'release')).toEqual(['hold', 'hold']);
  expect(subjects.map(({ state }) => state)).toEqual(['accepted', 'created']);
  const moved = { type: 'TestOrder', companyId: 'c1', event: 'release', from: 'hold' };
  expect([one.transitions, other.transitions]).toEqual([[{ ...moved, id: 'o1', to: 'accepted' }], [{ ...moved, id: 'o2', to: 'created' }]]);
  expect([one.events, other.events]).toMatchObject([[{ name: 'test_order.released', id: 'o1' }], [{ id: 'o2' }]]);
});

test('if one of many records may not be moved, none is, and each such record is reported', () => {
  const { tx } = txContext();
  const subjects = [order('accepted'), { ...order('completed'), id: 'o2' }, { ...order('accepted'), id: 'o3' }];
  const fire = () =>
    orders.fireMany(
      () => tx,
      subjects,
      'complete',
      ({ id }) => ({ jobsStarted: id === 'o3' ? 2 : 0 }),
    );
  expect((capture(fire) as Conflict).items).toMatchObject([{ key: 'illegal_event', state: 'completed' }, { key: 'jobs_are_running' }]);
  expect(subjects.map(({ state }) => state)).toEqual(['accepted', 'completed', 'accepted']);
  expect([tx.transitions, tx.events]).toEqual([[], []]);
});

test('events can be fired only inside a transaction', () => {
  expect(() => orders.fire({} as Context, order('created'), 'accept')).toThrow('transact');
});

test.each([
  ['an unreachable state', { states: ['a', 'b', 'c'], events: { go: [{ from: ['a'], to: 'b' }] } }, 'c cannot be reached'],
  [
    'an unknown state',
    {
      states: ['a', 'b'],
      events: {
        go: [
          { from: ['a'], to: 'b' },
          { from: ['x'], to: 'b' },
        ],
      },
    },
    'unknown state x',
  ],
  [
    'a left terminal state',
    { states: ['a', 'b'], events: { go: [{ from: ['a'], to: 'b' }], back: [{ from: ['b'], to: 'a' }] } },
    'leaves the terminal state b',
  ],
  ['a trap', { states: ['a', 'b', 'c'], events: { go: [{ from: ['a'], to: 'b' }], stay: [{ from: ['a'], to: 'c' }] } }, 'c can never end'],
  [
    'a hidden arrow',
    {
      states: ['a', 'b'],
      events: {
        go: [
          { from: ['a'], to: 'b' },
          { from: ['a'], to: 'b', guard: () => true },
        ],
      },
    },
    'hidden',
  ],
  ['an undeclared computed target', { states: ['a', 'b'], events: { go: [{ from: ['a'], to: () => 'b' }] } }, 'does not list'],
  ['no arrow', { states: ['a', 'b'], events: { go: [{ from: ['a'], to: 'b' }], no: [] } }, 'no leads nowhere'],
])('a table with %s is refused at the start', (_, table, finding) => {
  expect(() => defineMachine({ model: 'T', initial: ['a'], terminal: ['b'], ...table } as never)).toThrow(finding);
});

function capture(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
