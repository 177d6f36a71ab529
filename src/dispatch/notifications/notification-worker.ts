import type { EntityManager } from '@mikro-orm/postgresql';
import { type Drainer, startDrainer } from '../../platform/queue/drainer.ts';
import { inProcessWaker } from '../../platform/queue/in-process-waker.ts';
import { inTask, tracing } from '../../platform/tracing/spans.ts';
import { followEvents } from './follow-events.ts';
import { remind } from './remind.ts';

export interface NotificationWorkerOptions {
  em: EntityManager;
  log: { warn(fields: object, message: string): void };
  /** Milliseconds between two looks at what has happened; 1000 by default. */
  sweepEvery?: number;
  /** Milliseconds between two looks at what time brings; 15,000 by default. */
  remindEvery?: number;
}

/** Notifies people in the background of what happens and of what time brings. Of several processes, one reads the events at a time. */
export function startNotificationWorker({ em, log, sweepEvery = 1_000, remindEvery = 15_000 }: NotificationWorkerOptions): Drainer {
  let reminded = 0;
  return startDrainer<true>({
    slots: 1,
    async claim() {
      // Reminders do not wait until all that has happened is read, or for a mistake in it.
      if (Date.now() - reminded >= remindEvery) {
        reminded = Date.now();
        await inTask(
          tracing.of(em),
          'task reminders',
          {},
          () => ({ attributes: { 'haulgate.task': 'reminders' } }),
          () => remind(em),
        );
      }
      return (await followEvents(em)) ? [true] : [];
    },
    run: async () => {},
    sweep: async () => {},
    waker: inProcessWaker(),
    sweepEvery,
    report: (error, doing) => log.warn({ err: error }, `notification ${doing} failed`),
  });
}
