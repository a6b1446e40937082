/** Random numbers that are the same for the same seed on every machine. */
export class Random {
  constructor(seed: number);
  next(): number;
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  weighted<T>(choices: readonly (readonly [weight: number, value: T])[]): T;
  fork(label: string | number): Random;
}
