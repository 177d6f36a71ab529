/** Something that is done some time after it was asked for, however often it was asked for meanwhile. */
export interface Paced {
  ask(): void;
  stop(): void;
}

/**
 * Does `work` so many milliseconds after it was asked for: what comes in that time is done together. What is asked for while it waits is done then,
 * and once more as many milliseconds later, because it may not be due before that.
 */
export function paced(milliseconds: number, work: () => void): Paced {
  let timer: NodeJS.Timeout | undefined;
  let again = false;
  let stopped = false;
  const wait = () => {
    timer = setTimeout(() => {
      timer = undefined;
      if (again) wait();
      again = false;
      work();
    }, milliseconds);
  };
  return {
    ask() {
      if (timer) again = true;
      else if (!stopped) wait();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
