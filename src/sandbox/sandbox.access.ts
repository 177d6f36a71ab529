import { defineAccess } from '../platform/read/access.ts';
import { Sandbox } from './sandbox.entity.ts';

/** Rows of the company that made it, and its own row for a sandbox: each is a part of what its people see. */
export const ofSandbox = (t: string, companies: string): string => `(${t}.company_id = any(${companies}) or ${t}.id = any(${companies}))`;

export const sandboxAccess = defineAccess(Sandbox, { rowPolicy: { writable: ofSandbox } });
