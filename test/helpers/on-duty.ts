import { ref } from '@mikro-orm/core';
import { type DriverState, DriverStateEvent } from '../../src/dispatch/model/driver-state.entity.ts';
import type { Tenant } from './tenant.ts';

/** Somebody has been on duty since then, so that their positions are kept. Give an end to what is over. */
export async function onDuty(
  tenant: Tenant,
  userId: string,
  span: { state?: DriverState; startedAt: Date; endedAt?: Date | null },
): Promise<void> {
  await tenant.save(DriverStateEvent, { company: ref(tenant.company), userId, state: 'on_duty', ...span });
}
