/** One question of a matrix: which operation on which kind of record, by whom, about whose records, and which kind of answer is right. */
export interface Cell {
  /** A path of REST or a field of GraphQL. */
  operation: number;
  /** The root field that the operation runs; operations of several interfaces run the same. */
  field: string;
  record: string;
  caller: string;
  relation: string;
  kind: string;
}

/**
 * Selects a small part of the cells of a matrix that still asks
 * - every field as every caller, once for each kind of answer that this caller gets from it,
 * - every field in every relation, once for each kind of answer that depends on the relation,
 * - every operation once for each kind of answer that it gives,
 * - every kind of record as every caller in every relation, once for each kind of answer.
 * The operations of a field share the first two: whoever the caller is, each of them only hands on what it was asked.
 * If a caller gets the same answer in every relation (a request without a token is always refused), it is not asked again for each
 * relation. Equal cells give an equal selection in every run. Among cells that cover as much, the pair of caller and relation is taken that
 * fields on records of this kind used least, and then the operation.
 */
export function coveringOf<C extends Cell>(cells: readonly C[]): C[] {
  const pairs = new Map<string, Uses>();
  const operations = new Map<number, Uses>();
  const usedBy = new Map(cells.map((cell) => [cell, { pair: usesOf(pairs, pairOf(cell)), operation: usesOf(operations, cell.operation) }]));
  const chosen = new Set<C>();
  const choose = (cell: C) => {
    chosen.add(cell);
    for (const uses of Object.values(usedBy.get(cell)!)) uses.count++;
  };
  const before = (a: C, b: C) => {
    const [used, other] = [usedBy.get(a)!, usedBy.get(b)!];
    return (used.pair.count - other.pair.count || used.operation.count - other.operation.count) < 0;
  };
  for (const ofOne of Map.groupBy(cells, ({ field }) => field).values()) {
    const needs = needsWithin(ofOne);
    const open = new Set([...needs.values()].flat());
    while (open.size > 0) {
      const best = bestOf(ofOne, (cell) => needs.get(cell)!.filter((need) => open.has(need)).length, before);
      choose(best);
      for (const need of needs.get(best)!) open.delete(need);
    }
  }
  // Pairs that no field on records of this kind had to use.
  for (const cell of cells) if (usedBy.get(cell)!.pair.count === 0) choose(cell);
  return cells.filter((cell) => chosen.has(cell));
}

/** The number of chosen cells that have something in common. */
interface Uses {
  count: number;
}

function usesOf<K>(all: Map<K, Uses>, key: K): Uses {
  const uses = all.get(key) ?? { count: 0 };
  all.set(key, uses);
  return uses;
}

/** A caller, a relation and a kind of answer, for one kind of records. */
const pairOf = ({ record, caller, relation, kind }: Cell): string => `${record}, ${caller}, ${relation}, ${kind}`;

/** Returns what each cell of one field covers. */
function needsWithin<C extends Cell>(cells: readonly C[]): Map<C, string[]> {
  const varying = new Set<string>();
  for (const [caller, its] of Map.groupBy(cells, (cell) => cell.caller))
    if (new Set(its.map(({ kind }) => kind)).size > 1) varying.add(caller);
  // If nobody's answer depends on the relation, any caller covers it.
  const deciding = new Set(cells.filter(({ caller }) => varying.has(caller)).map(({ relation }) => relation));
  const needsOf = ({ operation, caller, relation, kind }: Cell) => [
    `operation ${operation}, ${kind}`,
    `caller ${caller}, ${kind}`,
    ...(deciding.has(relation) ? (varying.has(caller) ? [`relation ${relation}, ${kind}`] : []) : [`relation ${relation}`]),
  ];
  return new Map(cells.map((cell) => [cell, needsOf(cell)]));
}

/** Returns the first of the cells that cover most and come before the others that do. */
function bestOf<C extends Cell>(cells: readonly C[], covers: (cell: C) => number, before: (a: C, b: C) => boolean): C {
  let best = cells[0]!;
  let most = covers(best);
  for (const cell of cells) {
    const count = covers(cell);
    if (count > most || (count === most && before(cell, best))) [best, most] = [cell, count];
  }
  return best;
}
