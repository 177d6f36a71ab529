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
  const pairs = new Map<string, Pair>();
  const pairOf = new Map(cells.map((cell) => [cell, pairIn(pairs, cell)]));
  const usesOf = (cell: C) => pairOf.get(cell)!.uses;
  const chosen = new Set<C>();
  const choose = (cell: C) => {
    chosen.add(cell);
    pairOf.get(cell)!.uses++;
  };
  for (const ofOne of Map.groupBy(cells, ({ operation }) => operation).values()) {
    const needs = needsWithin(ofOne);
    const open = new Set([...needs.values()].flat());
    while (open.size > 0) {
      const best = bestOf(ofOne, (cell) => needs.get(cell)!.filter((need) => open.has(need)).length, usesOf);
      choose(best);
      for (const need of needs.get(best)!) open.delete(need);
    }
  }
  // Pairs that no operation on records of this kind had to use.
  for (const cell of cells) if (usesOf(cell) === 0) choose(cell);
  return cells.filter((cell) => chosen.has(cell));
}

/** A caller, a relation and a kind of answer, for one kind of records, with the number of chosen cells. */
interface Pair {
  uses: number;
}

function pairIn(pairs: Map<string, Pair>, { record, caller, relation, kind }: Cell): Pair {
  const name = `${record}, ${caller}, ${relation}, ${kind}`;
  const pair = pairs.get(name) ?? { uses: 0 };
  pairs.set(name, pair);
  return pair;
}

/** Returns what each cell of one operation covers. */
function needsWithin<C extends Cell>(cells: readonly C[]): Map<C, string[]> {
  const varying = new Set<string>();
  for (const [caller, its] of Map.groupBy(cells, (cell) => cell.caller))
    if (new Set(its.map(({ kind }) => kind)).size > 1) varying.add(caller);
  // If nobody's answer depends on the relation, any caller covers it.
  const telling = new Set(cells.filter(({ caller }) => varying.has(caller)).map(({ relation }) => relation));
  const needsOf = ({ caller, relation, kind }: Cell) => [
    `caller ${caller}, ${kind}`,
    ...(telling.has(relation) ? (varying.has(caller) ? [`relation ${relation}, ${kind}`] : []) : [`relation ${relation}`]),
  ];
  return new Map(cells.map((cell) => [cell, needsOf(cell)]));
}

/** Returns the first of the cells that cover most and were used least. */
function bestOf<C extends Cell>(cells: readonly C[], covers: (cell: C) => number, usesOf: (cell: C) => number): C {
  let best = cells[0]!;
  let most = covers(best);
  for (const cell of cells) {
    const count = covers(cell);
    if (count > most || (count === most && usesOf(cell) < usesOf(best))) [best, most] = [cell, count];
  }
  return best;
}
