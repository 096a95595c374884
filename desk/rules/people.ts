/** What others see of a user: the name beside the login, or the login alone. */
export const calledText = (login: string, name = ''): string => (name === '' ? login : `${name} (${login})`)
