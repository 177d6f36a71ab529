/** A name next to a mark, in pixels: the mark, how far from it the name begins, and its line. */
export interface Name {
  key: string;
  text: string;
  mark: number;
  aside: number;
  y: number;
}

/** Where a name is written: its line, and where it begins, or where it ends if it is to the left of its mark. */
export interface Written {
  x: number;
  y: number;
  anchor: 'start' | 'end';
}

/** Pixels of a line, and of a letter of usual width. */
const LINE = 16;
const LETTER = 7.5;
/** Lines by which a name is moved: down, or else up. Farther away, nobody would know whose it is. */
const LINES_AWAY = [0, 1, 2, 3, 4, 5, -1, -2, -3, -4, -5];

/**
 * Returns where names are written, by their keys: right of the mark, or left of it where the frame ends, and below the names that are there already, or
 * above them where the frame ends. A name for which there is no room nearby stays where it was to be.
 */
export function written(names: readonly Name[], { width, height }: { width: number; height: number }): Map<string, Written> {
  const boxes: Box[] = [];
  const isShown = (line: number) => line >= LINE && line <= height - LINE / 4;
  return new Map(
    names.map(({ key, text, mark, aside, y }) => {
      const length = text.length * LETTER;
      const left = mark < width && mark + aside + length > width;
      const x = left ? mark - aside : mark + aside;
      const from = left ? x - length : x;
      const isFree = (line: number) => !boxes.some((box) => overlap(box, { from, to: from + length, y: line }));
      const lines = LINES_AWAY.map((away) => y + away * LINE);
      const line = lines.find((one) => (isShown(one) || !isShown(y)) && isFree(one)) ?? y;
      boxes.push({ from, to: from + length, y: line });
      return [key, { x, y: line, anchor: left ? 'end' : 'start' }];
    }),
  );
}

interface Box {
  from: number;
  to: number;
  y: number;
}

const overlap = (a: Box, b: Box): boolean => Math.abs(a.y - b.y) < LINE && a.from < b.to && b.from < a.to;
