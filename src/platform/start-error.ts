/** A start that cannot go on. The message is a sentence for the operator that names what to change; no stack is wanted. */
export class StartError extends Error {}
