/** The exit statuses of `haulgate-send`. */
export const EXIT = { done: 0, someFailed: 1, usage: 2, unreachable: 3, interrupted: 130 } as const;

/** A fault that ends the run: a sentence for the person at the terminal, and the exit status. */
export class Fault extends Error {
  constructor(
    readonly exit: number,
    message: string,
  ) {
    super(message);
  }
}

export const usage = (message: string): Fault => new Fault(EXIT.usage, message);
export const unreachable = (message: string): Fault => new Fault(EXIT.unreachable, message);

/** Returns text of a server or a file for one line of a terminal: control characters could move the cursor or change colours. */
export function plain(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').trim();
}

export const count = (n: number): string => n.toLocaleString('en-US');
