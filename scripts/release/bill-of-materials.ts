import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { v5 } from 'uuid';
import { KNOWN } from '../hygiene/known-licences.ts';

/** The part of CycloneDX 1.5 that is touched here; npm writes the whole. */
export interface Bill {
  bomFormat: string;
  specVersion: string;
  serialNumber: string;
  metadata: { timestamp: string; component: { name: string; version: string } };
  components: {
    'bom-ref': string;
    name: string;
    version: string;
    purl: string;
    licenses?: object[];
    hashes?: { alg: string; content: string }[];
  }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

interface Lock {
  packages: Record<string, { version: string; name?: string; dev?: boolean; devOptional?: boolean }>;
}

/** Names the bills of this product. */
const NAMESPACE = '7b0e2f62-5d3c-5c0b-9d7e-2f4b1d8f6a11';

/**
 * Returns what the product consists of, in CycloneDX: every package that is installed to run it, with version, licence and hash, as npm reads
 * them from package-lock.json.
 * @param made so that the same commit gives the same bill, whenever it is made
 */
export function billOfMaterials(made: Date): Bill {
  // `--omit dev` would leave out what both the product and a tool depend on (npm 11.19), so everything is asked for, and tools go here.
  const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'], {
    ...{ encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  });
  const bill = JSON.parse(text) as Bill;
  const running = runningPackages();
  bill.components = bill.components.filter(({ name, version }) => running.has(`${name}@${version}`));
  for (const one of bill.components) if (KNOWN[one.name]) one.licenses = [{ license: { id: KNOWN[one.name] } }];
  const kept = new Set(bill.components.map((one) => one['bom-ref']));
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => kept.has(ref) || ref.startsWith('haulgate@'))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }));
  bill.metadata.timestamp = made.toISOString();
  // npm takes the name of the folder.
  bill.metadata.component.name = 'haulgate';
  const { serialNumber: _, ...rest } = bill;
  bill.serialNumber = `urn:uuid:${v5(JSON.stringify(rest), NAMESPACE)}`;
  return bill;
}

/** `name@version` of every package that `npm ci --omit=dev` installs on some machine. */
export function runningPackages(): Set<string> {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
  return new Set(
    Object.entries(packages)
      .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
      .map(([path, { version, name }]) => `${name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`),
  );
}
