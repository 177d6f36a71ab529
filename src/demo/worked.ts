import type { User } from '../directory/people/user.entity.ts';
import type { Site } from '../directory/sites/site.entity.ts';
import type { Job } from '../dispatch/model/job.entity.ts';
import type { Load } from '../dispatch/model/load.entity.ts';
import type { Order } from '../dispatch/model/order.entity.ts';

/** A job of the demo, with what is known of it. */
export interface WorkedJob {
  order: Order;
  job: Job;
  loads: Load[];
  driver: User;
  from: Site;
  to: Site;
  /** When the driver left for it, and its last event by now. */
  left: Date;
  last: Date;
}
