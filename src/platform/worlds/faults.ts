/** The header by which a caller in a sandbox says what is to go wrong. */
export const FAULT_HEADER = 'X-Sandbox-Fault';
/** The faults that can be had on request. */
export const FAULTS = ['503', 'timeout', 'duplicate-webhook'] as const;
