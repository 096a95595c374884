import t from 'tap'
import { openOpenidAccounts } from '../../../../src/features/people/openid/accounts.ts'
import { openRecords } from '../../../support/store.ts'

t.test(
  'a role that can not be written for another reason than the last administrator is no refusal',
  async (t) => {
    const { store } = await openRecords(t)
    const { users, signIns } = store
    const broken = async () => {
      throw new Error('the disk is full')
    }
    const openidAccounts = openOpenidAccounts(store.db, { users: { ...users, update: broken }, signIns })
    const person = {
      ...{ issuer: 'https://id.example', subject: 'maria', provider: 'Town', login: 'maria' },
      ...{ email: undefined, name: undefined, linkTo: undefined, roleOfNew: 'author' as const },
    }
    const by = { origin: 'http' as const, address: '10.0.0.1' }
    t.match(await openidAccounts.resolve({ ...person, role: 'author' }, by), {
      user: { login: 'maria', role: 'author' },
    })
    await t.rejects(openidAccounts.resolve({ ...person, role: 'editor' }, by), /the disk is full/)
  },
)
