import type { Context } from '../context.ts';
import type { Along } from '../database/connection/together.ts';

/** The read that answers a command, which is sent in the message that commits it. */
export interface AnswerAhead {
  /** @param result what the command returned */
  statements(result: unknown): Promise<readonly Along[]>;
}

declare module '../context.ts' {
  interface Context {
    /** Until the command has committed its first transaction: if it has more of them, its answer is read by itself. */
    answer?: AnswerAhead;
  }
}

/** Runs a command whose answer is read in the message that commits it. */
export async function answeredBy<T>(ctx: Context, answer: AnswerAhead, command: () => Promise<T>): Promise<T> {
  ctx.answer = answer;
  try {
    return await command();
  } finally {
    ctx.answer = undefined;
  }
}
