import { poolOf } from '../../../src/platform/database/sql.ts';
import { DeviceGone, type Push, type Pusher } from '../../../src/platform/outgoing/push.ts';
import type { Sms } from '../../../src/platform/outgoing/sms.ts';
import { startTestApp, type TestApp } from '../../helpers/app.ts';
import { jobOf, type StaffedTenant } from '../../helpers/staffed-tenant.ts';
import type { Person } from '../../helpers/tenant.ts';
import { until } from '../../helpers/until.ts';
import { reach } from '../../helpers/walk.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are asserted, not typed
type Json = any;

/** A person with a telephone, and a device for each token. */
export interface Reached extends Person {
  phone: string;
  tokens: string[];
}

/** An application whose texts and pushes are kept. */
export class Notified {
  readonly texts: Sms[] = [];
  readonly pushes: Push[] = [];
  /** Whether the services take anything now. */
  works = true;
  /** Tokens of devices that the push service does not know any more. */
  readonly gone = new Set<string>();
  app!: TestApp;

  /** @param pusher takes pushes instead */
  static async start(pusher?: Pusher): Promise<Notified> {
    const notified = new Notified();
    const deliveries = {
      mailer: { send: async () => {}, close() {} },
      texter: { send: (sms: Sms) => notified.text(sms) },
      pusher: pusher ?? { send: (push: Push) => notified.push(push) },
    };
    notified.app = await startTestApp({ notifications: true, worker: true, deliveries, smsSecret: 'twilio secret' });
    return notified;
  }

  private async text(sms: Sms): Promise<void> {
    if (!this.works) throw new Error('the service is away');
    this.texts.push(sms);
  }

  private async push(push: Push): Promise<void> {
    if (!this.works) throw new Error('the service is away');
    if (this.gone.has(push.token)) throw new DeviceGone();
    this.pushes.push(push);
  }

  /** As the owner of the database. */
  async sql(text: string, values: unknown[] = []): Promise<Json[]> {
    return (await (await poolOf(this.app.orm.em.fork())).query(text, values)).rows;
  }

  /** A person who chose how they are notified, with so many devices. */
  async person(tenant: StaffedTenant, roles: string[], notifications: object = {}, devices = 1, more: object = {}): Promise<Reached> {
    const { phone } = reach();
    const person = await tenant.person({ roles, phone, preferences: { notifications }, ...more });
    const tokens = Array.from({ length: devices }, (_, n) => `${person.user.id}-${n}`);
    for (const token of tokens) await person.must('POST', '/v1/users/me/device_tokens', { token });
    return { ...person, phone, tokens };
  }

  /** Returns the notices of somebody so far, once all events are processed: kinds of pushes, and texts. */
  async got({ phone, tokens }: Reached): Promise<{ pushes: string[]; texts: string[] }> {
    await this.settle();
    return {
      pushes: this.pushes.filter(({ token }) => tokens.includes(token)).map(({ kind }) => kind),
      texts: this.texts.filter(({ to }) => to === phone).map(({ text }) => text),
    };
  }

  async settle(): Promise<void> {
    const [{ last }] = await this.sql('select coalesce(max(position), 0)::text as last from outbox_event');
    await until(async () => {
      await this.app.settled();
      const [{ done }] = await this.sql('select position >= $1::bigint as done from notification_cursor', [last]);
      return done;
    });
    await this.app.settled();
    await this.app.emails();
  }

  /** A job that begins in so many minutes, and was sent to its driver. */
  async sent(tenant: StaffedTenant, driver: Person, minutes = 600): Promise<Json> {
    const job = await jobOf(tenant, { driver_id: driver.user.id, load_at: new Date(Date.now() + minutes * 60_000).toISOString() });
    return tenant.dispatcher.must('PUT', `/v1/jobs/${job.id}/request`, {});
  }
}
