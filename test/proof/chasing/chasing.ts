import { poolOf } from '../../../src/platform/database/sql.ts';
import { OutcomeUnknown, type Sms } from '../../../src/platform/outgoing/sms.ts';
import { startTestApp, type TestApp, type TestAppOptions } from '../../helpers/app.ts';
import { drive, jobOf, makeStaffedTenant, ONE_LOAD, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import type { Person } from '../../helpers/tenant.ts';
import { reach } from '../../helpers/walk.ts';
import { zoneAt } from '../../helpers/zones.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

export interface Chased {
  tenant: StaffedTenant;
  phone: string;
  job: Json;
  load: Json;
  orderId: string;
  driver: Person;
  /** Returns the texts to the driver, once nothing is due. */
  texts(): Promise<string[]>;
}

/** An application whose texts are kept, with what chases of missing tickets are tested by. */
export class Chasing {
  /** Whether the service takes texts now. */
  works = true;
  /** Whether it takes them, and the line breaks before it says so. */
  breaks = false;
  readonly #texts: Sms[] = [];
  readonly app: TestApp;

  private constructor(app: TestApp, texts: Sms[]) {
    this.app = app;
    this.#texts = texts;
  }

  static async start(options: TestAppOptions = {}): Promise<Chasing> {
    const texts: Sms[] = [];
    const send = async (sms: Sms) => {
      if (!started.works) throw new Error('the service is away');
      texts.push(sms);
      if (started.breaks) throw new OutcomeUnknown('the line is broken');
    };
    const deliveries = { mailer: { send: async () => {}, close() {} }, texter: { send } };
    const started = new Chasing(await startTestApp({ worker: true, deliveries, ...options }), texts);
    return started;
  }

  /** As the owner of the database. */
  async sql(text: string, values: unknown[] = []): Promise<Json[]> {
    return (await (await poolOf(this.app.orm.em.fork())).query(text, values)).rows;
  }

  /** A job of an order that chases tickets, whose driver has just completed its first load; where they are it is `hour`. */
  async hauled(hour = 12, more: object = {}): Promise<Chased> {
    const tenant = await makeStaffedTenant(this.app, { timeZone: zoneAt(hour) });
    const { phone } = reach();
    const { user, ...driver } = await tenant.person({ roles: ['driver'], phone });
    const job = await jobOf(tenant, { driver_id: user.id, chase_missing_tickets: true, loads_per_truck: 2, ...more });
    await drive({ ...driver, user }, job.id, ...ONE_LOAD);
    const load = (await tenant.must('GET', `/v1/jobs/${job.id}/loads`)).find(({ state }: Json) => state === 'completed');
    const [{ order_id: orderId }] = await this.sql('select order_id from job where id = $1', [job.id]);
    return { tenant, phone, job, load, orderId, driver: { ...driver, user }, texts: () => this.textsTo(phone) };
  }

  /** Returns the texts to a number, once nothing is due. */
  async textsTo(phone: string): Promise<string[]> {
    await this.app.settled();
    await this.app.emails();
    return this.#texts.filter(({ to }) => to === phone).map(({ text }) => text);
  }

  /** The chases of a job, the first one first. */
  chasesOf({ job }: Pick<Chased, 'job'>): Promise<Json[]> {
    return this.sql(
      `select c.*, (select count(*)::int from ticket_chase_reminder r where r.chase_id = c.id) as reminders
       from ticket_chase c where c.job_id = $1 order by c.created_at`,
      [job.id],
    );
  }

  /** Lets time pass for a job: what was noted of it was so much earlier. */
  async pass({ job }: Pick<Chased, 'job'>, hours: number): Promise<void> {
    const back = `- $2 * interval '1 hour'`;
    for (const statement of [
      `update load set summary_load_completed_at = summary_load_completed_at ${back} where job_id = $1`,
      `update ticket_chase_reminder set sent_at = sent_at ${back} where chase_id in (select id from ticket_chase where job_id = $1)`,
      `update photo_link set expires_at = expires_at ${back} where chase_id in (select id from ticket_chase where job_id = $1)`,
      `update ticket_chase_task set due_at = due_at ${back} where id = $1`,
    ])
      await this.sql(statement, [job.id, hours]);
  }
}
