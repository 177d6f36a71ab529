import type { ChildProcess } from 'node:child_process';
import type pg from 'pg';

/** The thing that is measured, and who asks for it. */
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
