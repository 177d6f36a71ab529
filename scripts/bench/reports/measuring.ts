import type { ChildProcess } from 'node:child_process';
import type pg from 'pg';

/** What is measured, and by whom it is asked. */
export interface Measuring {
  /** A connection of the owner of the tables. */
  pool: pg.Pool;
  base: URL;
  child: ChildProcess;
  /** Of a machine client of the largest company. */
  token: string;
  companyId: string;
  rounds: number;
  say(line: string): void;
}
