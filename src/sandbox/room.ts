import { CLOCKS } from '../platform/database/time/sandbox-time.ts';
import { SANDBOX_ENDS } from './delete-sandboxes.ts';
import { sandboxAccess } from './sandbox.access.ts';
import { Sandbox, sandboxWorldKey } from './sandbox.entity.ts';
import { sandboxMessages } from './sandbox.messages.ts';
import { SandboxResolver, sandboxExtension } from './sandbox.resolver.ts';
import { SandboxMessage } from './sandbox-message.entity.ts';

/** The entities of the room. */
export const entities = [Sandbox, SandboxMessage];

/** The access to them. */
export const access = [sandboxAccess];

export const extensions = [sandboxExtension];

/** The fields that unique rules of the database are about. */
export const constraints = [sandboxWorldKey];

/** The room's messages. */
export const messages = [sandboxMessages];

/** The room's tasks across companies. */
export const purposes = [CLOCKS, SANDBOX_ENDS];

/** The fields of the room's interface. */
export const resolvers: Function[] = [SandboxResolver];
