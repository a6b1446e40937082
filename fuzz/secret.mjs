// The text of an error that a handler throws. No answer may contain it.
export const SECRET = 'the secret text of an unforeseen error';
