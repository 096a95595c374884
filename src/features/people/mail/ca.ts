import type { AccountLetters } from './en.ts'

export const ca: AccountLetters = {
  invitation: {
    subject: 'El vostre accés a {site}',
    text: `
Hola {name},

us han donat accés a {site}. Trieu la contrasenya en aquesta pàgina:

{link}

L'enllaç funciona una sola vegada, durant 7 dies. El vostre nom d'usuari és {login}.

Si no sabeu de què es tracta, no feu cas d'aquest missatge.
`,
  },
  reset: {
    subject: 'Una contrasenya nova per a {site}',
    text: `
Hola {name},

algú ha demanat una contrasenya nova de {login} per a {site}. Si heu estat vosaltres, trieu-la en aquesta pàgina:

{link}

L'enllaç funciona una sola vegada, durant una hora. Si no heu estat vosaltres, no feu cas d'aquest missatge: la contrasenya no canvia.
`,
  },
  changed: {
    subject: 'La contrasenya per a {site} ha canviat',
    text: `
Hola {name},

la contrasenya de {login} per a {site} ha canviat. Si heu estat vosaltres, no cal fer res.

Si no heu estat vosaltres, aviseu un administrador de {site} i trieu una contrasenya nova en aquesta pàgina:

{link}
`,
  },
  moved: {
    subject: 'La vostra adreça a {site} ha canviat',
    text: `
Hola {name},

els missatges de {site} per a {login} ja no arriben a aquesta adreça. Si és correcte, no cal fer res.

Si no ho és, aviseu un administrador de {site}.
`,
  },
}
