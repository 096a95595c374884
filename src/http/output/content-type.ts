/** How answers say that they are JSON; it is UTF-8 always (D40). */
export const JSON_ANSWER = 'application/json; charset=utf-8'
