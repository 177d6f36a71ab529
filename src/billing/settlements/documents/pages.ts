import { MARGIN, type Paper, type Style } from './paper.ts';
import type { Block } from './print-blocks.ts';
import type { Party } from './settlement-document.ts';

const TITLE: Style = { size: 18, bold: true };
const BIG: Style = { size: 11, bold: true };
const PLAIN: Style = { size: 9 };
const SMALL: Style = { size: 8, ink: 0.6 };
/** Points of the box of a logo. */
const LOGO = { width: 170, height: 56 };
/** Points of a line of the name of a party. */
const NAME = 13;
/** Points that the foot of a page takes. */
export const FOOT = 20;

/** Puts blocks on pages. What is broken by the end of a page begins with its heading again; a heading is never the last on a page. */
export function paginate({ height }: Paper, blocks: readonly Block[]): { block: Block; y: number }[][] {
  const bottom = height - MARGIN - FOOT;
  const pages: { block: Block; y: number }[][] = [[]];
  let y = MARGIN;
  for (const [i, block] of blocks.entries()) {
    let space = block.height;
    for (let next = i; blocks[next]?.leads && blocks[next + 1]; next++) space += blocks[next + 1]!.height;
    if (y + space > bottom && pages.at(-1)!.length > 0) {
      pages.push([]);
      y = MARGIN;
      if (block.heading) {
        pages.at(-1)!.push({ block: block.heading, y });
        y += block.heading.height;
      }
    }
    pages.at(-1)!.push({ block, y });
    y += block.height;
  }
  return pages;
}

/** What is on the head of a first page. */
export interface Head {
  title: string;
  /** Labels, and what is written next to them. */
  facts: readonly (readonly [string, string])[];
  /** Whose paper it is and for whom, each with its role. */
  parties: readonly (readonly [string, Party])[];
  /** A JPEG. */
  logo: Buffer | null;
}

/** The head of a first page: logo and title, facts, and two parties. */
export function headBlock(paper: Paper, { title, facts, parties, logo }: Head): Block {
  const half = (paper.width - 2 * MARGIN) / 2 - 8;
  const partyLines = ({ address, contact }: Party) => [...address, ...contact];
  const top = Math.max(LOGO.height + 8, 30 + facts.length * 12);
  const lines = Math.max(...parties.map(([, party]) => partyLines(party).length));
  // A name is never cut: it says who owes.
  const names = parties.map(([, { name }]) => paper.wrap(name, half, BIG));
  const below = top + 34 + (Math.max(1, ...names.map(({ length }) => length)) - 1) * NAME;
  const draw = (y: number) => {
    if (logo) paper.picture(logo, { x: MARGIN, y, width: LOGO.width }, LOGO.height);
    const right = { x: MARGIN + half + 16, width: half };
    paper.text(title, { ...right, y, align: 'right' }, TITLE);
    for (const [i, [label, value]] of facts.entries()) {
      const at = y + 28 + i * 12;
      paper.text(label, { x: right.x, y: at, width: half * 0.45 }, SMALL);
      paper.text(value, { x: right.x + half * 0.45, y: at, width: half * 0.55, align: 'right' }, PLAIN);
    }
    for (const [i, [role, party]] of parties.entries()) {
      const place = { x: MARGIN + i * (half + 16), width: half };
      paper.text(role, { ...place, y: y + top + 6 }, SMALL);
      for (const [n, line] of names[i]!.entries()) paper.text(line, { ...place, y: y + top + 18 + n * NAME }, BIG);
      for (const [n, line] of partyLines(party).entries()) paper.text(line, { ...place, y: y + below + n * 12 }, PLAIN);
    }
  };
  return { height: below + lines * 12 + 16, draw };
}
