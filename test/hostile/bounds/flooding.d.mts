export function answerTo(message: object): object | undefined;
