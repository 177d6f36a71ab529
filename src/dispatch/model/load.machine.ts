import { defineMachine } from '../../platform/state/machine.ts';
import type { Load } from './load.entity.ts';
import { LoadState } from './states.ts';

/** States in which a load is under way. A job has at most one such load (DOMAIN 1.3). */
export const ACTIVE_LOAD: readonly LoadState[] = [
  'to_pickup',
  'arrived_pickup',
  'loaded',
  'to_dropoff',
  'arrived_dropoff',
  'unloaded',
  'paused',
];

type Subject = Pick<Load, 'state' | 'pausedFrom'>;

/** DOMAIN 1.3. `resume` is a route of the job, not an event of the public enum, so it is internal here. */
export const loadMachine = defineMachine({
  model: 'Load',
  states: Object.values(LoadState),
  initial: ['created'],
  terminal: ['completed', 'canceled'],
  internal: ['resume'],
  happened: {
    enroute: 'departed',
    arrive: 'arrived',
    load_material: 'material_loaded',
    unload_material: 'material_unloaded',
    complete: 'completed',
    pause: 'paused',
    cancel: 'canceled',
    resume: 'resumed',
  },
  events: {
    enroute: [
      { from: ['created'], to: 'to_pickup' },
      { from: ['loaded'], to: 'to_dropoff' },
    ],
    arrive: [
      { from: ['to_pickup'], to: 'arrived_pickup' },
      { from: ['to_dropoff'], to: 'arrived_dropoff' },
    ],
    load_material: [{ from: ['arrived_pickup', 'to_pickup'], to: 'loaded' }],
    unload_material: [{ from: ['arrived_dropoff', 'to_dropoff'], to: 'unloaded' }],
    complete: [{ from: ['to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff', 'unloaded'], to: 'completed' }],
    pause: [{ from: ['to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff'], to: 'paused' }],
    cancel: [
      {
        from: ['created', 'to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff', 'unloaded', 'paused'],
        to: 'canceled',
      },
    ],
    resume: [
      {
        from: ['paused'],
        to: (load: Subject) => load.pausedFrom ?? 'to_pickup',
        among: ['to_pickup', 'arrived_pickup', 'loaded', 'to_dropoff', 'arrived_dropoff'],
      },
    ],
  },
});
