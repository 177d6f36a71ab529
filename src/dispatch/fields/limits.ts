/** Trucks that one order may have, canceled ones not counted (DOMAIN 1.1: 1-200). */
export const TRUCKS_OF_ORDER = 200;

/** Elements of lists of work that one request may bring: a form holds some, and whoever sends thousands made a mistake. As the importer's. */
export const MOST_STOPS = 100;
export const MOST_PEOPLE = 100;
export const MOST_TRUCKS = 100;
export const MOST_PHASES = 500;
export const MOST_MATERIALS = 500;
