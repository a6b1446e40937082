/** Control characters other than line ends and tabs, and marks that change the direction of text. */
export const CONTROL_CHARACTER = /(?![\t\n\r])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u;
