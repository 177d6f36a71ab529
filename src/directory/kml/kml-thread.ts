import { parentPort, workerData } from 'node:worker_threads';
import { readKml } from './read-kml.ts';

parentPort?.postMessage(readKml(workerData as string));
