import { Arg, Ctx, ID, Resolver, Root, Subscription } from 'type-graphql';
import { type Live, liveChanges } from '../../events/changes/live.ts';
import type { RecordType } from '../../events/changes/record-types.ts';
import { companyOf } from '../../platform/authz/authorization.ts';
import { AnySignedIn } from '../../platform/authz/field-permissions.ts';
import type { Context } from '../../platform/context.ts';
import { LocalDate } from '../../platform/scalars.ts';
import { localDate } from '../../platform/time.ts';
import { presentTime } from '../../platform/worlds/present-time.ts';
import { DayBoard, dayBoard } from './day-board.ts';

interface Asked {
  companyId?: string | null;
  date?: string | null;
}

/** The types of records on a board. */
const SHOWN: readonly RecordType[] = ['DriverDay', 'Equipment', 'Job', 'JobAssignment', 'Load', 'Order', 'Ticket', 'User'];

/** Milliseconds between two boards at least: each reads a whole day, and nobody looks at more than one a second. */
const EVERY = 1_000;

/** The board at once, and again whenever something on it may have changed. Without a date it is that of today, also after midnight. */
async function* boards(ctx: Context, { companyId, date }: Asked): AsyncGenerator<Live<DayBoard>> {
  let shown: DayBoard | undefined;
  const isOver = () => !date && shown !== undefined && localDate(presentTime(), shown.timeZone) !== shown.date;
  for await (const { ctx: now } of liveChanges(ctx, { companyId, types: SHOWN, every: EVERY, isOver })) {
    shown = await dayBoard(now, companyId ?? undefined, date ?? undefined);
    yield { payloads: [shown], ctx: now };
  }
}

@Resolver()
export class LiveDayBoardResolver {
  @Subscription(() => DayBoard, {
    description:
      "A company's day at once, and again when an order, job, load, driver or truck of the company has changed, at most once a second; without a date also when another day begins.",
    subscribe: ({ args, context }) => {
      companyOf(context as Context, (args as Asked).companyId);
      return boards(context as Context, args as Asked) as never;
    },
  })
  @AnySignedIn()
  dayBoardChanged(
    @Root() board: DayBoard,
    @Ctx() _ctx: Context,
    @Arg('companyId', () => ID, { nullable: true, description: 'By default, your own company.' }) _companyId?: string,
    @Arg('date', () => LocalDate, { nullable: true, description: 'In the time zone of the company; by default, today.' }) _date?: string,
  ): DayBoard {
    return board;
  }
}
