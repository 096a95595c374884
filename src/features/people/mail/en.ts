/** Mail about accounts. `{site}` is the name of the calendar, `{login}` the login of the user, `{link}` a link that works once. */
export const en = {
  invitation: {
    subject: 'Your access to {site}',
    text: `
Hello {name},

you have been given access to {site}. Choose your password on this page:

{link}

The link works once, and for 7 days. Your login is {login}.

If you do not know what this is about, ignore this mail.
`,
  },
  reset: {
    subject: 'A new password for {site}',
    text: `
Hello {name},

somebody asked for a new password of {login} for {site}. If it was you, choose it on this page:

{link}

The link works once, and for an hour. If it was not you, ignore this mail: your password stays as it is.
`,
  },
  changed: {
    subject: 'Your password for {site} was changed',
    text: `
Hello {name},

the password of {login} for {site} was changed. If it was you, there is nothing to do.

If it was not you, tell an administrator of {site}, and choose a new password on this page:

{link}
`,
  },
  moved: {
    subject: 'Your address at {site} was changed',
    text: `
Hello {name},

mail for {login} from {site} no longer goes to this address. If that is right, there is nothing to do.

If it is not, tell an administrator of {site}.
`,
  },
}
export type AccountLetters = typeof en
