import { createHash } from 'node:crypto';
import type { Viewer } from '../../platform/context.ts';
import { type RememberedActor, remembered } from './viewer.ts';

/** Characters of the name of a person who acts as another one; a signature has a limit. */
const MOST_NAME = 60;

/** The form in which a signed URL names its maker, and what they were allowed then. */
export interface SignedActors {
  write(viewer: Viewer): string;
  /** @returns undefined for a text of another version of the product, which may have other permissions */
  read(text: string): RememberedActor | undefined;
}

/** @param names the permissions that decide what such an URL shows: one bit for each */
export function signedActors(names: readonly string[]): SignedActors {
  const version = createHash('sha256').update(names.join()).digest('base64url').slice(0, 8);
  return {
    write(viewer) {
      const { type, id, grants, realActor } = remembered(viewer);
      const held = new Set(grants);
      const bits = Buffer.alloc(Math.ceil(names.length / 8));
      names.forEach((name, at) => {
        if (held.has(name)) bits[at >> 3]! |= 1 << (at & 7);
      });
      const actor = realActor ? [realActor.type, realActor.id, realActor.name.slice(0, MOST_NAME)] : [];
      return JSON.stringify([version, type, id, bits.toString('base64url'), ...actor]);
    },
    read(text) {
      const [of, type, id, bits, actorType, actorId, actorName] = JSON.parse(text) as [
        ...[string, Viewer['type'], string, string],
        ...[Viewer['type']?, string?, string?],
      ];
      if (of !== version) return undefined;
      const held = Buffer.from(bits, 'base64url');
      const grants = names.filter((_, at) => held[at >> 3]! & (1 << (at & 7)));
      const realActor = actorType && actorId ? { realActor: { type: actorType, id: actorId, name: actorName ?? '' } } : {};
      return { type, id, grants, ...realActor };
    },
  };
}
