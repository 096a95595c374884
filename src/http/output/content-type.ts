/** The Content-Type of JSON responses, always UTF-8 (D40). */
export const JSON_ANSWER = 'application/json; charset=utf-8'
