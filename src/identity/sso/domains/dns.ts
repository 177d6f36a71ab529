import { Resolver } from 'node:dns/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { identitySettings } from '../../settings.ts';

/** Milliseconds and tries a name server has; a person waits. */
const PATIENCE = { timeout: 3_000, tries: 2 };
/** Answers that say there is no such record, as opposed to none. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

/** The result of asking for a TXT record. */
export type Proof = 'found' | 'absent' | 'unreachable';

/** Whether a domain has this TXT record now, as the deployment's name servers see it. */
export async function hasTxtRecord(em: EntityManager, domain: string, wanted: string): Promise<Proof> {
  const resolver = new Resolver(PATIENCE);
  const { dnsServers } = identitySettings.of(em);
  if (dnsServers.length > 0) resolver.setServers(dnsServers);
  try {
    // Long texts come in pieces.
    const texts = (await resolver.resolveTxt(domain)).map((pieces) => pieces.join('').trim());
    return texts.includes(wanted) ? 'found' : 'absent';
  } catch (error) {
    return ABSENT.has((error as { code?: string }).code ?? '') ? 'absent' : 'unreachable';
  }
}
