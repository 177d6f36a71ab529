import type { Needs } from '../platform/authz/needs.ts';

/** What a role must permit for the root fields of this room. */
export const needs: Needs = [];
