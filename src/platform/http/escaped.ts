const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Returns a text as HTML has it, between tags and in attributes. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => ESCAPES[one]!);
