import type { Context } from '../context.ts';

const NAME = 'acted on';

/** Remembers what the last command of a request wrote. The answer may show these records even if they are no longer the caller's own. */
export function rememberActedOn(ctx: Context, ids: readonly string[]): void {
  ctx.memo.set(NAME, new Set(ids));
}

/** Whether the last command of this request wrote the record. */
export function hasActedOn(ctx: Context, id: string): boolean {
  return (ctx.memo.get(NAME) as Set<string> | undefined)?.has(id.toLowerCase()) ?? false;
}
