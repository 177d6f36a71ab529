/** A name next to a mark, in pixels: where it begins, and its line. */
export interface Name {
  key: string;
  text: string;
  x: number;
  y: number;
}

/** Pixels of a line, and of a letter of usual width. */
const LINE = 15;
const LETTER = 7.5;
/** Lines by which a name is moved at most: farther away, nobody would know whose it is. */
const MOST_LINES = 5;

/**
 * Returns the line of each name, by its key: where it was to be, or below the names that are there already. A name for which there is no room nearby
 * stays where it was.
 */
export function linesOf(names: readonly Name[]): Map<string, number> {
  const written: Name[] = [];
  for (const name of names) {
    const lines = Array.from({ length: MOST_LINES + 1 }, (_, i) => name.y + i * LINE);
    const y = lines.find((line) => !written.some((other) => overlap({ ...name, y: line }, other)));
    written.push({ ...name, y: y ?? name.y });
  }
  return new Map(written.map(({ key, y }) => [key, y]));
}

const overlap = (a: Name, b: Name): boolean =>
  Math.abs(a.y - b.y) < LINE && a.x < b.x + b.text.length * LETTER && b.x < a.x + a.text.length * LETTER;
