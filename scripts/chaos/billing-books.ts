import { randomUUID } from 'node:crypto';
import type { Caller } from './copy.ts';
import type { Tenant } from './world.ts';

/** A company, with the calls of its clients. */
export interface Books {
  tenant: Tenant;
  caller: Caller;
  names: string[];
}

export interface Made {
  id: string;
  state: string;
}

/** Milliseconds in which the workers get everything done. */
export const PATIENCE = 300_000;
/** Milliseconds between two looks at whether something has come to its end. */
export const LOOKING = 250;
/** Milliseconds that a client waits for what it has exported, so that some of it is voided afterwards. */
export const EXPORTING = 3_000;

export const pathOf = ({ tenant }: Books, rest: string): string => `/v1/companies/${tenant.companyId}${rest}`;

/** @throws Error for an answer that says what is wrong */
export async function must<T>({ caller }: Books, method: string, path: string, body?: object): Promise<T> {
  const text = await caller.call(method, path, body, method === 'GET' ? undefined : randomUUID());
  if (typeof text === 'number') throw new Error(`${method} ${path} is answered ${text}`);
  return text === '' ? (undefined as T) : (JSON.parse(text).data as T);
}

/** What clients have come to. */
export interface Progress {
  /** Pieces of work that are at their end. */
  pieces: number;
  /** Ids of settlements that clients were answered. */
  made: Set<string>;
  /** The number of times that each step was not refused. */
  taken: Map<string, number>;
}

/** Counts a step if it was not refused. @returns whether it was done */
export function count({ taken }: Progress, step: string, answer: string | number): answer is string {
  if (typeof answer === 'number') return false;
  taken.set(step, (taken.get(step) ?? 0) + 1);
  return true;
}

export const oneOf = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)]!;
