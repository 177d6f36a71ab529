import type { EntityManager } from '@mikro-orm/postgresql';
import { runAsPurpose } from '../../platform/database/scope.ts';
import { poolOf } from '../../platform/database/sql.ts';
import type { Claim } from './claim.ts';
import { renewLeases } from './leases.ts';
import { LEDGER } from './ledger-purpose.ts';

/** Renews the leases of this process's claims: one statement for each third of a lease renews all of them. */
export class LeaseKeeper {
  #claims = new Set<Claim>();
  #timer: NodeJS.Timeout;
  #renewing = false;

  constructor(
    readonly em: EntityManager,
    readonly leaseSeconds: number,
    readonly report: (error: unknown) => void,
  ) {
    this.#timer = setInterval(() => void this.#renew(), (leaseSeconds * 1000) / 3);
  }

  add(claim: Claim): void {
    this.#claims.add(claim);
  }

  /** Stops renewing a claim that is finished or released. */
  drop(claim: Claim): void {
    this.#claims.delete(claim);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const rows = [...this.#claims].flatMap((claim) => claim.rows);
    if (rows.length === 0 || this.#renewing) return;
    this.#renewing = true;
    const pool = await poolOf(this.em);
    await runAsPurpose(LEDGER, () => renewLeases(pool, rows, this.leaseSeconds))
      .catch(this.report)
      .finally(() => (this.#renewing = false));
  }
}
