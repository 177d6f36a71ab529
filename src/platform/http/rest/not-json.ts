import { visit } from 'jsonc-parser';
import { BadRequest } from '../../errors.ts';

/** What is answered to a body that JSON.parse refused: where it stops being JSON, counted from 1. */
export function notJson(text: string): BadRequest {
  let place: { line: number; column: number } | undefined;
  const note = (line: number, column: number) => {
    place ??= { line: line + 1, column: column + 1 };
  };
  try {
    visit(text, { onError: (_code, _at, _length, line, column) => note(line, column) }, { disallowComments: true });
  } catch {
    // Brackets that never end are deeper than anything goes that reads them.
  }
  return place ? new BadRequest('body_not_json_at', place) : new BadRequest('body_not_json');
}
