import { ConfigError, readConfig } from '../config.ts';
import { registerRooms } from '../rooms.ts';
import { examineDatabase } from './examine-database.ts';
import { examineServices } from './examine-services.ts';
import { examineSettings } from './examine-settings.ts';
import { type Finding, wrong } from './finding.ts';

/**
 * Examines a deployment: its environment, its database and the services that it names. A file is stored and removed; else nothing is changed.
 * @param machines that run what this one would, with the same settings: their connections are counted, and they must share what they need
 */
export async function examine(env: Record<string, string | undefined>, machines = 1): Promise<Finding[]> {
  // Rooms declare their purposes, and with them the roles of the database.
  registerRooms();
  try {
    const config = readConfig(env);
    const settings = examineSettings(config, machines);
    const folder = settings.some(({ verdict, about }) => about === 'HAULGATE_DATA' && verdict === 'wrong');
    return [...settings, ...(await examineDatabase(config, machines)), ...(await examineServices(config, { withFiles: !folder }))];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n').map((line) => wrong(line.split(' ', 1)[0]!, line.slice(line.indexOf(' ') + 1)));
  }
}

const RANK = { wrong: 0, look: 1, good: 2 };

/** Returns the findings as lines, the worst first, and a last line that counts them. */
export function describe(findings: readonly Finding[]): string {
  const sorted = findings.toSorted((a, b) => RANK[a.verdict] - RANK[b.verdict]);
  const count = (verdict: Finding['verdict']) => findings.filter((one) => one.verdict === verdict).length;
  return [
    ...sorted.map(({ verdict, about, says }) => `${verdict.padEnd(5)}  ${about}: ${says}`),
    `${count('wrong')} wrong, ${count('look')} to look at, ${count('good')} good`,
    '',
  ].join('\n');
}
