import { setTimeout as sleep } from 'node:timers/promises';

/** The first page of an office's day: counts by state, loads by hour, and a hundred jobs and drivers. */
const PAGE = `{ dayBoard { date jobsByState { state count } loadsByHour { startsAt count }
  jobsByPage(first: 100) { nodes { id jobId state jobStartAt completedLoadsCount loadsCount driver { firstName lastName } order { orderId account { name } }
    waypoints { type site { id name } } } pageInfo { hasNextPage } }
  driversByPage(first: 100) { nodes { availability jobsCount driver { id firstName lastName } } } } }`;
/** Milliseconds from the beginning of one request to that of the next one. */
const EVERY = 1_000;

/** An office that asks for the day each second. */
export class DayPage {
  /** When each answer was asked for, in milliseconds since 1970, and the milliseconds that it took, in their order. */
  readonly took: { at: number; ms: number }[] = [];
  /** Answers with an error, and those that did not come. */
  readonly failures: string[] = [];

  /** @param end the moment after which nothing is asked, in milliseconds since 1970 */
  async watch(url: string, token: string, end: number): Promise<void> {
    while (Date.now() < end) {
      const [at, began] = [Date.now(), performance.now()];
      try {
        const answer = await fetch(`${url}/graphql`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ query: PAGE }),
        });
        const { errors } = (await answer.json()) as { errors?: unknown };
        if (errors) this.failures.push(JSON.stringify(errors).slice(0, 300));
      } catch (error) {
        this.failures.push(String(error));
      }
      this.took.push({ at, ms: performance.now() - began });
      await sleep(Math.max(0, EVERY - (performance.now() - began)));
    }
  }
}
