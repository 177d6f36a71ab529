import type { Context } from '../context.ts';
import type { Reader } from '../read/reader.ts';

type Reads = Pick<Reader, 'one' | 'page' | 'list' | 'as'>;

/**
 * The same context, in which records are read in another way.
 * @param change what is different in a reader; also in that of a context which the resolver makes of this one, unless it says otherwise
 */
export function readingWith(ctx: Context, change: (reader: Reader) => Partial<Reads>): Context {
  const changed = (reader: Reader): Reads => ({
    one: ((...args) => reader.one(...args)) as Reader['one'],
    page: ((...args) => reader.page(...args)) as Reader['page'],
    list: ((...args) => reader.list(...args)) as Reader['list'],
    as: ((other) => changed(reader.as(other))) as Reader['as'],
    ...change(reader),
  });
  return Object.create(ctx, { read: { value: changed(ctx.read) } });
}
