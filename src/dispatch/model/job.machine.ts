import { defineMachine } from '../../platform/state/machine.ts';
import { JobState, type JobStateEvent } from './states.ts';

/** The facts about a job's order and loads that the machine's conditions read. */
export interface JobFacts {
  /** The order is accepted or in progress: the job may be sent and driven. */
  orderOpen: boolean;
  /** The job has a driver or a vendor. */
  hasAssignee: boolean;
  /** The job has a driver, or is hauled by a vendor that does not use the platform: nobody knows who drives, and the office reports for them. */
  hasDriver: boolean;
  /** A load has not been driven yet, or recurring loads will add one. */
  hasNextLoad: boolean;
  /** A load has been under way, or is. */
  loadStarted: boolean;
  loadsApproved: boolean;
  anyLoadApproved: boolean;
  payableApproved: boolean;
  /** An invoice of it, in its owner's books, is in a live settlement. A missing value means `false`, as for `byHand`. */
  settled: boolean;
  /** A vendor ends the links that it added, and keeps the job as it accepted it. A missing value means `false`, as for `byHand`. */
  staysWithVendor: boolean;
  /**
   * Somebody completes the load under way by hand, in whatever state it is. Unlike the facts above, a missing value means `false`: lists do
   * not load it.
   */
  byHand: boolean;
  /** A load of it was completed. A missing value means `false`, as for `byHand`. */
  hauled: boolean;
  /** A ticket of it shows that it was hauled, although nobody has begun it. A missing value means `false`, as for `byHand`. */
  ticketed: boolean;
}

type Subject = { state: JobState; pausedAt?: unknown };
type Facts = Partial<JobFacts>;

const BEFORE_HAUL = ['assigned', 'sent', 'accepted', 'rejected'] as const;
const HAUL = ['to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff', 'unloaded'] as const;
/** No event on the road is possible while the job is paused. */
const rolling = (job: Subject) => !job.pausedAt;
const is = (fact: boolean | undefined) => fact !== false;

/** DOMAIN 1.2. Facts that are not known do not forbid (lists offer the event, the command decides). */
export const jobMachine = defineMachine<JobState, JobStateEvent | 'undo_pay' | 'turn_back', Subject, JobFacts>({
  model: 'Job',
  states: Object.values(JobState),
  initial: ['created', 'assigned'],
  terminal: ['canceled', 'paid'],
  internal: ['assign', 'end', 'turn_back'],
  reversals: ['undo_pay'],
  happened: {
    assign: 'assigned',
    unassign: 'unassigned',
    request: 'requested',
    accept: 'accepted',
    reject: 'rejected',
    enroute: 'departed',
    arrive: 'arrived',
    load_material: 'material_loaded',
    unload_material: 'material_unloaded',
    complete_load: 'load_completed',
    complete: 'completed',
    end: 'ended',
    review: 'review_started',
    sign_off: 'signed_off',
    flag: 'flagged',
    remove_flag: 'flag_removed',
    remove_signoff: 'signoff_removed',
    pay: 'paid',
    undo_pay: 'payment_undone',
    turn_back: 'turned_back',
    cancel: 'canceled',
  },
  events: {
    assign: [{ from: ['created', 'rejected', 'accepted', 'assigned'], to: 'assigned' }],
    unassign: [
      { from: [...BEFORE_HAUL], to: 'accepted', guard: (_job, facts: Facts) => facts.staysWithVendor === true && !facts.loadStarted },
      { from: [...BEFORE_HAUL], to: 'created', guard: (_job, facts: Facts) => !facts.loadStarted, refusal: 'load_started' },
    ],
    request: [
      {
        from: ['assigned', 'sent'],
        to: 'sent',
        guard: (_job, facts: Facts) => is(facts.hasAssignee) && is(facts.orderOpen),
        refusal: 'job_not_sendable',
      },
    ],
    accept: [{ from: ['assigned', 'sent'], to: 'accepted' }],
    reject: [{ from: ['sent', 'accepted'], to: 'rejected', guard: (_job, facts: Facts) => !facts.loadStarted, refusal: 'load_started' }],
    enroute: [
      {
        from: ['accepted', 'sent', 'assigned', 'load_completed'],
        to: 'to_pickup',
        guard: (job, facts: Facts) => rolling(job) && is(facts.hasDriver) && is(facts.hasNextLoad) && is(facts.orderOpen),
        refusal: 'job_cannot_leave',
      },
      { from: ['loaded'], to: 'to_dropoff', guard: rolling, refusal: 'job_paused' },
    ],
    arrive: [
      { from: ['to_pickup'], to: 'arrived_pickup', guard: rolling, refusal: 'job_paused' },
      { from: ['to_dropoff'], to: 'arrived_dropoff', guard: rolling, refusal: 'job_paused' },
    ],
    load_material: [{ from: ['arrived_pickup', 'to_pickup'], to: 'loaded', guard: rolling, refusal: 'job_paused' }],
    unload_material: [{ from: ['arrived_dropoff', 'to_dropoff'], to: 'unloaded', guard: rolling, refusal: 'job_paused' }],
    complete_load: [
      { from: ['unloaded'], to: 'load_completed', guard: rolling, refusal: 'job_paused' },
      { from: HAUL.slice(0, -1), to: 'load_completed', guard: (job, facts: Facts) => rolling(job) && facts.byHand === true },
    ],
    complete: [
      { from: [...HAUL, 'accepted', 'load_completed'], to: 'completed', guard: rolling, refusal: 'job_paused' },
      // Its order is completed (D-PROOF-250).
      { from: ['created', 'assigned', 'sent', 'rejected'], to: 'completed', guard: (_job, facts: Facts) => facts.ticketed === true },
    ],
    end: [{ from: [...BEFORE_HAUL, ...HAUL, 'load_completed'], to: 'ended' }],
    review: [{ from: ['completed', 'ended'], to: 'in_review' }],
    sign_off: [
      {
        from: ['completed', 'ended', 'in_review'],
        to: 'signed_off',
        guard: (_job, facts: Facts) => is(facts.loadsApproved),
        refusal: 'loads_not_approved',
      },
    ],
    flag: [{ from: ['completed', 'ended', 'in_review', 'signed_off'], to: 'flagged' }],
    remove_flag: [{ from: ['flagged'], to: 'in_review' }],
    remove_signoff: [
      { from: ['signed_off'], to: 'in_review', guard: (_job, facts: Facts) => facts.settled !== true, refusal: 'job_in_settlement' },
    ],
    pay: [{ from: ['signed_off'], to: 'paid', guard: (_job, facts: Facts) => is(facts.payableApproved), refusal: 'payable_not_approved' }],
    // The settlement by which it was paid takes it back.
    undo_pay: [{ from: ['paid'], to: 'signed_off' }],
    // The pickup is another one now, and the truck was not loaded at the old one.
    turn_back: [
      {
        from: ['arrived_pickup'],
        to: (_job, facts: Facts) => (facts.hauled ? 'load_completed' : 'accepted'),
        among: ['load_completed', 'accepted'],
      },
    ],
    cancel: [
      {
        from: ['created', ...BEFORE_HAUL, ...HAUL, 'load_completed'],
        to: 'canceled',
        guard: (_job, facts: Facts) => !facts.anyLoadApproved,
        refusal: 'load_approved',
      },
    ],
  },
});

/** Pausing has routes of its own and no event of the public enum (DOMAIN 1.2): a job on the road can be paused. */
export const PAUSABLE: readonly JobState[] = ['to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff'];

/** States of a job that nobody has left for yet: it follows the changes of its order. */
export const FOLLOWING: readonly JobState[] = ['created', 'assigned', 'sent', 'accepted', 'rejected'];
