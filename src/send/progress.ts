import { Presets, SingleBar } from 'cli-progress';
import { count } from './fault.ts';

export interface Progress {
  add(n: number): void;
  /** A sentence above the bar. */
  say(message: string): void;
  end(): void;
}

/** Part of the whole after which a plain line is written. */
const STEP = 0.1;

/** A bar on a terminal; elsewhere a line whenever another tenth is done. Written to `stream`, so that standard output stays the result's. */
export function startProgress(verb: string, total: number, noun: string, stream: NodeJS.WriteStream): Progress {
  return stream.isTTY ? bar(verb, total, noun, stream) : lines(verb, total, noun, stream);
}

/** Gives back the cursor and the wrapping of lines that a bar takes; for a process that ends in the middle of one. */
export function restoreTerminal(stream: NodeJS.WriteStream): void {
  if (stream.isTTY) stream.write('\u001B[?25h\u001B[?7h');
}

function bar(verb: string, total: number, noun: string, stream: NodeJS.WriteStream): Progress {
  const one = new SingleBar(
    {
      format: `${verb} {bar} {value} of {total} ${noun}, {eta_formatted} left`,
      stream,
      hideCursor: true,
      // Ctrl-C is ours: see restoreTerminal.
      gracefulExit: false,
      clearOnComplete: true,
      etaBuffer: 100,
    },
    Presets.shades_classic,
  );
  one.start(total, 0);
  return {
    add: (n) => one.increment(n),
    say(message) {
      // A sentence takes the bar's line; the bar draws itself anew below.
      stream.write(`\r\u001B[2K${message}\n`);
      one.render();
    },
    end: () => one.stop(),
  };
}

function lines(verb: string, total: number, noun: string, stream: NodeJS.WriteStream): Progress {
  let done = 0;
  let told = 0;
  return {
    add(n) {
      done += n;
      if (done < total && done - told < total * STEP) return;
      told = done;
      stream.write(`${verb} ${count(done)} of ${count(total)} ${noun}\n`);
    },
    say: (message) => void stream.write(`${message}\n`),
    end: () => undefined,
  };
}
