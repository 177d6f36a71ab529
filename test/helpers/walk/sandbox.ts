import { ref } from '@mikro-orm/core';
import { newSandboxId } from '../../../src/platform/worlds/sandbox-ids.ts';
import { Sandbox } from '../../../src/sandbox/sandbox.entity.ts';
import type { Tenant } from '../tenant.ts';
import { of, type Row } from './expectation.ts';

/** The permissions of the root fields of src/sandbox. */
export const SANDBOX: Row[] = [
  ...of(undefined, 'manage_machine_clients', 'sandboxes', 'createSandbox', 'sandboxMessages'),
  ...of('sandbox', 'manage_machine_clients', 'sandbox', 'moveSandboxClock', 'endSandbox'),
  ...of(undefined, 'company', 'currentSandbox'),
];

/** Saves a record and returns its id. */
type Save = <T extends { id: string }>(type: new () => T, fields: object) => Promise<string>;

/** Makes records of src/sandbox, with ids that the walk uses. Nobody seeds them. */
export function sandboxMakers(tenant: Tenant, saved: Save) {
  return {
    sandbox: () =>
      saved(Sandbox, {
        ...{ id: newSandboxId(), company: ref(tenant.company), name: 'Walk', administrator: 'walk@example.test', clientId: 'hg_walk' },
        endsAt: new Date(Date.now() + 86_400_000),
      }),
  };
}
