import { randomBytes } from 'node:crypto';
import { newId } from '../ids.ts';

/**
 * The id of a company says whether it is a sandbox: it is a UUID v8, and its last 10 digits are those of all companies of that sandbox. So every line of
 * code, and every check of the database, keeps sandboxes and real companies apart without looking anything up. `is_sandbox` and `world_of` of the
 * database say the same.
 */
const VERSION = 14;
const WORLD = 26;

/** Whether a company is a sandbox, or one within it. */
export const isSandbox = (companyId: string): boolean => companyId[VERSION] === '8';

/** Returns the part of ids that all companies of a sandbox have in common; undefined for real companies, which share one world. */
export const worldOf = (companyId: string): string | undefined => (isSandbox(companyId) ? companyId.slice(WORLD).toLowerCase() : undefined);

/** The id of a new sandbox's company. */
export const newSandboxId = (): string => inWorld(randomBytes(5).toString('hex'));

/** The id of a new company in the world of another one. */
export function companyIdBeside(companyId: string | undefined): string {
  const world = companyId === undefined ? undefined : worldOf(companyId);
  return world === undefined ? newId() : inWorld(world);
}

function inWorld(world: string): string {
  const id = newId();
  // The digits that distinguish ids of a millisecond are before these.
  return `${id.slice(0, VERSION)}8${id.slice(VERSION + 1, WORLD)}${world}`;
}
