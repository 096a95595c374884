import type { AccountLetters } from './en.ts'

export const es: AccountLetters = {
  invitation: {
    subject: 'Su acceso a {site}',
    text: `
Hola {name}:

le han dado acceso a {site}. Elija la contraseña en esta página:

{link}

El enlace funciona una sola vez, durante 7 días. Su nombre de usuario es {login}.

Si no sabe de qué se trata, no haga caso de este mensaje.
`,
  },
  reset: {
    subject: 'Una contraseña nueva para {site}',
    text: `
Hola {name}:

alguien ha pedido una contraseña nueva de {login} para {site}. Si ha sido usted, elíjala en esta página:

{link}

El enlace funciona una sola vez, durante una hora. Si no ha sido usted, no haga caso de este mensaje: la contraseña no cambia.
`,
  },
  changed: {
    subject: 'La contraseña para {site} ha cambiado',
    text: `
Hola {name}:

la contraseña de {login} para {site} ha cambiado. Si ha sido usted, no tiene que hacer nada.

Si no ha sido usted, avise a un administrador de {site} y elija una contraseña nueva en esta página:

{link}
`,
  },
  moved: {
    subject: 'Su dirección en {site} ha cambiado',
    text: `
Hola {name}:

los mensajes de {site} para {login} ya no llegan a esta dirección. Si es correcto, no tiene que hacer nada.

Si no lo es, avise a un administrador de {site}.
`,
  },
}
