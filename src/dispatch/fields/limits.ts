/** The most trucks of one order, without canceled ones (DOMAIN 1.1: 1-200). */
export const TRUCKS_OF_ORDER = 200;

/** The most elements of a list in one request, as in the importer. A form holds a few; a client that sends thousands made a mistake. */
export const MOST_STOPS = 100;
export const MOST_PEOPLE = 100;
export const MOST_TRUCKS = 100;
export const MOST_PHASES = 500;
export const MOST_MATERIALS = 500;
