import { afterAll, beforeAll, expect } from '@jest/globals';
import { startTestApp, type TestApp } from '../helpers/app.ts';
import { makeTenant, type Tenant } from '../helpers/tenant.ts';
import { Receiver } from './receiver.ts';

/** A company whose webhooks are delivered, and an endpoint for them. They are there when the tests of the file begin. */
export interface Receiving {
  app: TestApp;
  tenant: Tenant;
  receiver: Receiver;
}

export function makeReceiving(also: Parameters<typeof startTestApp>[0] = {}): Receiving {
  const receiving = {} as Receiving;
  beforeAll(async () => {
    const app = await startTestApp({ shared: true, webhooks: true, ...also });
    Object.assign(receiving, { app, tenant: await makeTenant(app), receiver: await new Receiver().start() });
  });
  afterAll(async () => {
    await receiving.app.close();
    await receiving.receiver.stop();
    // Whatever was sent in the tests of the file, and of whichever trigger.
    expect(receiving.receiver.misfits).toEqual([]);
  });
  return receiving;
}
