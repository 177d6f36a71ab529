import { Presets, SingleBar } from 'cli-progress';
import { count } from './fault.ts';

export interface Progress {
  add(n: number): void;
  /** Prints a sentence above the bar. */
  say(message: string): void;
  end(): void;
}

/** Share of the whole after which a plain line is written. */
const STEP = 0.1;

/**
 * Shows a bar on a terminal; elsewhere a line whenever another tenth is done. Written to `stream`, so that standard output contains the
 * result only.
 */
export function startProgress(verb: string, total: number, noun: string, stream: NodeJS.WriteStream): Progress {
  return stream.isTTY ? bar(verb, total, noun, stream) : lines(verb, total, noun, stream);
}

/** Restores the cursor and the wrapping of lines, which a bar changes; for a process that ends while the bar is shown. */
export function restoreTerminal(stream: NodeJS.WriteStream): void {
  if (stream.isTTY) stream.write('\u001B[?25h\u001B[?7h');
}

function bar(verb: string, total: number, noun: string, stream: NodeJS.WriteStream): Progress {
  const one = new SingleBar(
    {
      format: `${verb} {bar} {value} of {total} ${noun}, {eta_formatted} left`,
      stream,
      hideCursor: true,
      // Ctrl-C is handled here: see restoreTerminal.
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
      // A sentence overwrites the bar's line; the bar is drawn again below.
      stream.write(`\r\u001B[2K${message}\n`);
      one.render();
    },
    end: () => one.stop(),
  };
}

function lines(verb: string, total: number, noun: string, stream: NodeJS.WriteStream): Progress {
  let done = 0;
  let shown = 0;
  return {
    add(n) {
      done += n;
      if (done < total && done - shown < total * STEP) return;
      shown = done;
      stream.write(`${verb} ${count(done)} of ${count(total)} ${noun}\n`);
    },
    say: (message) => void stream.write(`${message}\n`),
    end: () => undefined,
  };
}
