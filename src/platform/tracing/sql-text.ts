/** Characters of a statement that are sent. */
const MOST = 4_000;
/** Statements that are remembered with what is sent of them. */
const KEPT = 500;

/** The text of a statement that is sent to a collector. */
export interface SqlText {
  /** The name of its kind and its table: `select orders`. */
  name: string;
  operation: string;
  text: string;
}

/** Everything that may hold a value, and what may look as if it did: texts, names in quotes, comments, `$$...$$`, numbers. */
const PARTS =
  /\be'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$([a-z_]\w*)?\$[\s\S]*?\$\1\$|(?<![\w$."])\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gi;
const FIRST_TABLE = /\b(?:from|into|update|join)\s+(?:only\s+)?"?([a-z_]\w*)/i;

const known = new Map<string, SqlText>();

/** Returns a statement as traces show it: without any value, also where one is written into its text. */
export function sqlTextOf(sql: string): SqlText {
  const before = known.get(sql);
  if (before) return before;
  const bare = sql
    .replace(PARTS, (part) => (part.startsWith('"') ? part : part.startsWith('--') || part.startsWith('/*') ? ' ' : '?'))
    .replace(/\s+/g, ' ')
    .trim();
  const operation = /^[a-z]+/i.exec(bare)?.[0].toLowerCase() ?? 'statement';
  const table = FIRST_TABLE.exec(bare)?.[1];
  const text = { name: table ? `${operation} ${table}` : operation, operation, text: bare.slice(0, MOST) };
  // Statements with values in their text are another one each time.
  if (known.size >= KEPT) known.clear();
  known.set(sql, text);
  return text;
}
