import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Bytes of memory that a process may reserve for writing. Node reserves 600 MB for itself, most of which it never touches; the rest is for
 * the files.
 */
const MEMORY = 1_408 * 1024 * 1024;

/** The exit code of a program of ours that cannot read its file. */
export const UNREADABLE = 3;

export interface Bounds {
  /** Seconds of computing. */
  cpuSeconds: number;
  /** Bytes to write to; 1,408 MB by default. */
  memory?: number;
  /** Megabytes for JavaScript itself; 128 by default. */
  heap?: number;
}

/**
 * Starts a program of ours in a process whose memory and computing time the operating system limits: decoders are the only place where a
 * sender's bytes meet code that is not memory-safe. It gets its input, no environment, and no access to other files.
 * @param program in the folder of the caller, without its extension
 * @param from the caller's `import.meta.url`
 * @param pipes streams in addition to the usual three
 */
export function startBounded(program: string, from: string, args: readonly string[], bounds: Bounds, pipes = 0): ChildProcess {
  const { cpuSeconds, memory = MEMORY, heap = 128 } = bounds;
  // The source itself where it runs as TypeScript, else what was built of it.
  const path = fileURLToPath(new URL(`${program}.${from.endsWith('.ts') ? 'ts' : 'js'}`, from));
  // No core files, so much computing (the first limit says why, the second ends all the same), so much memory.
  const limits = `ulimit -c 0; ulimit -S -t ${cpuSeconds}; ulimit -H -t ${cpuSeconds + 2}; ulimit -d ${memory / 1024}; exec "$0" "$@"`;
  const node = [`--max-old-space-size=${heap}`, '--disable-warning=ExperimentalWarning', path, ...args];
  return spawn('/bin/sh', ['-c', limits, process.execPath, ...node], {
    stdio: Array.from({ length: 3 + pipes }, () => 'pipe' as const),
    // Arenas of the allocator would count as memory for every thread.
    env: { UV_THREADPOOL_SIZE: '1', MALLOC_ARENA_MAX: '2' },
  });
}
