export const REPEATED: Readonly<Record<string, string>>;
export const LONG: Readonly<Record<string, string>>;
export function linesOf(name: string): string;
export function eventsOf(name: string): string;
export function framesOf(name: string, isMasked: boolean): Buffer;
