import type { Context } from '../context.ts';

const NAME = 'acted on';

/** Remembers what the last command of a request wrote: its answer tells of it, also when it is nobody's own any more. */
export function rememberActedOn(ctx: Context, ids: readonly string[]): void {
  ctx.memo.set(NAME, new Set(ids));
}

/** Whether the last command of this request wrote the record. */
export function hasActedOn(ctx: Context, id: string): boolean {
  return (ctx.memo.get(NAME) as Set<string> | undefined)?.has(id.toLowerCase()) ?? false;
}
