import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KNOWN } from './hygiene/known-licences.ts';

/** Licences that allow commercial use without passing their terms on to our users. */
const FINE = new Set([
  'MIT',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'CC-BY-4.0',
  'CC-BY-3.0',
  'Python-2.0',
  'PSF-2.0',
  'Unlicense',
  'PostgreSQL',
  'WTFPL',
  'Artistic-2.0',
  'MIT-0',
  'Bitstream-Vera',
]);
/**
 * Shared libraries under the LGPL that are loaded unchanged and can be replaced by the operator, which is all that the licence asks; for
 * these packages only.
 */
const LINKED = { licence: 'LGPL-3.0-or-later', packages: /^@img\/sharp-/ };

interface Locked {
  packages: Record<string, { version?: string; license?: string; dev?: boolean; optional?: boolean; link?: boolean }>;
}

/** Returns whether the licence is allowed: of `(MIT OR GPL)`, one allowed licence is enough; `AND` requires all. */
function isFine(expression: string, name: string): boolean {
  const fine = (licence: string) => FINE.has(licence) || (licence === LINKED.licence && LINKED.packages.test(name));
  const plain = expression.replace(/[()]/g, '');
  return plain.split(/\s+OR\s+/).some((choice) => choice.split(/\s+AND\s+/).every((one) => fine(one.trim())));
}

function licenceOf(path: string, listed: string | undefined): string {
  const name = path.split('node_modules/').at(-1)!;
  if (KNOWN[name]) return KNOWN[name];
  if (listed) return listed;
  try {
    const found = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
      license?: string | { type: string };
      licenses?: { type: string }[];
    };
    const licence =
      typeof found.license === 'object' ? found.license.type : (found.license ?? found.licenses?.map((one) => one.type).join(' OR '));
    return licence ?? 'none named';
  } catch {
    return 'not installed';
  }
}

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Locked;
const wrong: string[] = [];
let looked = 0;
for (const [path, { license, optional, link }] of Object.entries(lock.packages)) {
  if (path === '' || link) continue;
  const licence = licenceOf(path, license);
  // Platform packages of other machines are not installed here. Their lock entry names the licence, or the package for this platform was
  // checked.
  if (licence === 'not installed' && optional) continue;
  looked++;
  const name = path.split('node_modules/').at(-1)!;
  if (!isFine(licence, name)) wrong.push(`${name}: ${licence}`);
}
for (const line of wrong) process.stderr.write(`licence not on the list: ${line}\n`);
process.stdout.write(`${looked} packages looked at, ${wrong.length} with a licence that is not on the list\n`);
process.exit(wrong.length === 0 ? 0 : 1);
