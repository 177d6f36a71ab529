export interface Sweeper {
  /** Sweeps at once instead of later. While a sweep runs, that one is enough. */
  now(): void;
  /** Ends the loop after the sweep that runs. */
  stop(): Promise<void>;
}

/**
 * Calls `sweep` about every `milliseconds`, never twice at a time. Jitter of a quarter keeps the processes, which have no leader,
 * from sweeping together. An error is reported and the next round tries again: a sweeper outlives every fault of the database.
 */
export function startSweeper(milliseconds: number, sweep: () => Promise<void>, report: (error: unknown) => void): Sweeper {
  let running: Promise<void> = Promise.resolve();
  let stopped = false;
  let sweeping = false;
  let timer: NodeJS.Timeout;
  const plan = () => {
    timer = setTimeout(() => (running = round()), milliseconds * (0.75 + Math.random() / 2));
  };
  const round = async () => {
    sweeping = true;
    await sweep().catch(report);
    sweeping = false;
    if (!stopped) plan();
  };
  plan();
  return {
    now() {
      if (stopped || sweeping) return;
      clearTimeout(timer);
      running = round();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
