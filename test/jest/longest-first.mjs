import Sequencer from '@jest/test-sequencer';

/** Files that take a quarter of a minute or more. Begun last, one of them would keep one process busy while the others have nothing left to do. */
const LONGEST = [
  'isolation/matrix',
  'app/main',
  'walk',
  'nulls',
  'isolation/passed-canaries',
  'isolation/at-once',
  'isolation/pool',
  'billing/locks/doors',
  'isolation/row-level-security-alone',
  'events/lost-workers',
  'scripts/new-code',
  'platform/database/silent-servers',
  'isolation/leaks',
  'app/processes',
  'app/late-database',
  'files/structure',
  'send/broken-runs',
  'events/live/live-limits',
  'console/billing-work',
  'app/doctor',
  'isolation/family',
  'events/live/subscriptions',
  'events/live/streams',
  'app/look-out',
  'platform/database/roles',
  'platform/database/dead-connections',
  'telematics/fences/late-positions',
  'billing/days/paid-by-the-day',
  'docs-pasted',
  'isolation/bodies',
  'app/failover',
  'identity/access/own-records',
  'hostile-load',
  'reporting/login-owners',
  'app/first-start',
  'app/storage-mark',
  'app/database-gone',
].map((name) => `/test/${name}.test.ts`);

/** The longest files first; the others as jest orders them. */
export default class LongestFirst extends Sequencer {
  async sort(tests) {
    const rank = ({ path }) => {
      const at = LONGEST.findIndex((name) => path.endsWith(name));
      return at < 0 ? LONGEST.length : at;
    };
    return [...(await super.sort(tests))].sort((a, b) => rank(a) - rank(b));
  }
}
