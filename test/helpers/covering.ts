/** One question of a matrix: which operation on which kind of record, by whom, about whose records, and which kind of answer is right. */
export interface Cell {
  operation: number;
  record: string;
  caller: string;
  relation: string;
  kind: string;
}

/**
 * Selects a small part of the cells of a matrix that still asks
 * - every operation as every caller, once for each kind of answer that this caller gets from it,
 * - every operation in every relation, once for each kind of answer that depends on the relation,
 * - every kind of record as every caller in every relation, once for each kind of answer.
 * If a caller gets the same answer in every relation (a request without a token is always refused), it is not asked again for each
 * relation. Equal cells give an equal selection in every run. Among cells that cover as much, the pair of caller and relation is taken that
 * operations on records of this kind used least.
 */
export function coveringOf<C extends Cell>(cells: readonly C[]): C[] {
  const used = new Map<string, number>();
  const chosen = new Set<C>();
  const choose = (cell: C) => {
    chosen.add(cell);
    used.set(pairOf(cell), usesOf(used, cell) + 1);
  };
  for (const ofOne of Map.groupBy(cells, ({ operation }) => operation).values()) {
    const needsOf = needsWithin(ofOne);
    const open = new Set(ofOne.flatMap(needsOf));
    while (open.size > 0) {
      const best = bestOf(ofOne, (cell) => needsOf(cell).filter((need) => open.has(need)).length, used);
      choose(best);
      for (const need of needsOf(best)) open.delete(need);
    }
  }
  // Pairs that no operation on records of this kind had to use.
  for (const cell of cells) if (usesOf(used, cell) === 0) choose(cell);
  return cells.filter((cell) => chosen.has(cell));
}

const pairOf = ({ record, caller, relation, kind }: Cell) => `${record}, ${caller}, ${relation}, ${kind}`;
const usesOf = (used: ReadonlyMap<string, number>, cell: Cell) => used.get(pairOf(cell)) ?? 0;

/** Returns what each cell of one operation covers. */
function needsWithin(cells: readonly Cell[]): (cell: Cell) => string[] {
  const kindsOf = Map.groupBy(cells, ({ caller }) => caller);
  const varies = ({ caller }: Cell) => new Set(kindsOf.get(caller)!.map(({ kind }) => kind)).size > 1;
  // If nobody's answer depends on the relation, any caller covers it.
  const telling = new Set(cells.filter(varies).map(({ relation }) => relation));
  return (cell) => [
    `caller ${cell.caller}, ${cell.kind}`,
    ...(telling.has(cell.relation) ? (varies(cell) ? [`relation ${cell.relation}, ${cell.kind}`] : []) : [`relation ${cell.relation}`]),
  ];
}

/** Returns the first of the cells that cover most and were used least. */
function bestOf<C extends Cell>(cells: readonly C[], covers: (cell: C) => number, used: ReadonlyMap<string, number>): C {
  let best = cells[0]!;
  let most = covers(best);
  for (const cell of cells) {
    const count = covers(cell);
    if (count > most || (count === most && usesOf(used, cell) < usesOf(used, best))) [best, most] = [cell, count];
  }
  return best;
}
