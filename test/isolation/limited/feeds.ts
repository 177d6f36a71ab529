import { expect } from '@jest/globals';
import { feedOf, Replica } from '../../events/follower.ts';
import { DOORS, moneyIn, moneyOf } from './doors.ts';
import type { Look } from './lists.ts';
import { rightsText } from './rights.ts';
import { readRows } from './rows.ts';
import type { Member, Scene } from './scene.ts';
import { KINDS, type Kind, rowsOf } from './sight.ts';

/** What is no record of its own in the feed. */
const APART: ReadonlySet<Kind> = new Set(['JobEvent']);

/** The copies that people keep of what they see, by the feed of changes. */
export class Feeds {
  readonly #copies = new Map<string, { replica: Replica; rights: string; token: string }>();

  static async begin(scene: Scene): Promise<Feeds> {
    const feeds = new Feeds();
    const rows = await readRows(scene);
    for (const member of scene.members) await feeds.#begin(scene, member, rightsText(rows, member.id));
    return feeds;
  }

  async #begin({ at }: Scene, { id, token }: Member, rights: string): Promise<void> {
    this.#copies.set(id, { replica: await new Replica(at, token).begin(), rights, token });
  }

  /**
   * Compares somebody's copy with what they see, after it has followed the feed. With other rights than before, they begin anew, as a client does: then the
   * snapshot is compared.
   */
  async compare({ scene, rows, member, sight }: Look): Promise<void> {
    const { at } = scene;
    const rights = rightsText(rows, member.id);
    const known = this.#copies.get(member.id)!;
    const { status } = await feedOf(at, `?after=${known.replica.position}&limit=1`, member.token);
    // With the same rights a position is good for as long as the feed is kept.
    if (known.rights === rights) expect([member.name, status]).toEqual([member.name, 200]);
    if (status === 410 || known.token !== member.token) await this.#begin(scene, member, rights);
    const { replica } = this.#copies.get(member.id)!;
    const said = await replica.follow();
    this.#copies.set(member.id, { replica, rights, token: member.token });
    const problems: unknown[] = [];
    for (const kind of KINDS) {
      if (APART.has(kind)) continue;
      const ids = new Set([...replica.records.keys()].filter((key) => key.startsWith(`${kind} `)).map((key) => key.slice(kind.length + 1)));
      const missing = [...sight[kind]].filter((id) => !ids.has(id));
      const kept = [...ids].filter((id) => !sight[kind].has(id));
      if (missing.length > 0 || kept.length > 0) problems.push({ kind, missing, kept });
      if (!DOORS[kind].money) continue;
      for (const row of rowsOf(rows)[kind].filter(({ id }) => ids.has(id)))
        expect([member.name, kind, row.id, moneyIn(kind, replica.records.get(`${kind} ${row.id}`))]).toEqual([
          ...[member.name, kind, row.id, moneyOf(kind, row, sight.rights)],
        ]);
    }
    expect([member.name, problems, problems.length > 0 ? said.slice(-60) : []]).toEqual([member.name, [], []]);
  }
}
