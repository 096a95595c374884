import { eq, sql } from 'drizzle-orm'
import t from 'tap'
import { application_passwords, settings, terms, users } from '../../../../drizzle/tables.ts'
import { connect } from '../../../../src/features/nodes/session.ts'
import { until } from '../../../../test/support/until.ts'
import { CALM, openNodes, settle, truthOf, truthThere } from '../../support/nodes.ts'

const nodes = await openNodes(t)
const { postgres } = nodes

const note = (name: string, value = 'x') => ({ name, value })
const user = (login: string) => ({ login, role: 'editor' as const, created_utc: '' })

t.beforeEach(() => nodes.reset())

t.test('writes of two nodes alternate, and each has all of them when it asks', async (t) => {
  const [one, two] = [await nodes.start(t), await nodes.start(t)]
  await settle(one.db)
  const names = Array.from({ length: 20 }, (_, at) => `write ${at}`)
  await Promise.all(
    names.map((name, at) =>
      (at % 2 ? one : two).db.write(async (tx) => tx.insert(settings).values(note(name))),
    ),
  )
  t.strictSame([await one.db.fresh!(), await two.db.fresh!()], [0, 0])
  const there = await truthThere(postgres)
  t.equal(there.settings!.length, 20)
  t.strictSame(truthOf(one.db), there)
  t.strictSame(truthOf(two.db), there)
  t.match(two.db.replica!.status(), { state: 'follows', age: 0, leads: false })
  t.equal(one.db.replica!.status().seq, two.db.replica!.status().head)
})

t.test(
  'a write sees what others wrote before it, and an ID that came and went is not given again',
  async (t) => {
    const [one, two] = [await nodes.start(t), await nodes.start(t)]
    const measured: string[] = []
    two.db.replica!.onMeasured((what) => measured.push(what))
    const gone = await one.db.write(async (tx) => {
      const [row] = await tx.insert(users).values(user('gone')).returning()
      await tx.delete(users).where(eq(users.id, row!.id))
      return row!.id
    })
    await one.db.fresh!()
    const id = await two.db.write(
      async (tx) => (await tx.insert(users).values(user('maria')).returning())[0]!.id,
    )
    t.ok(id > gone, 'the ID is a new one')
    t.strictSame(measured, ['lock', 'commit'])
    await one.db.write(async (tx) => {
      t.match(await tx.select().from(users), [{ id, login: 'maria' }])
      await tx.update(users).set({ disabled: true }).where(eq(users.id, id))
    })
    const { seq } = one.db.replica!.status()
    await one.db.write(async () => {})
    await one.db.write(async (tx) => void (await tx.delete(users).where(eq(users.id, 0))))
    t.equal(one.db.replica!.status().seq, seq, 'what changes nothing makes no group')
    await one.db.write(
      async (tx) => void (await tx.insert(users).values(user('maria')).onConflictDoNothing()),
    )
    await two.db.write(async (tx) => {
      const [row] = await tx.insert(users).values(user('joan')).returning()
      t.ok(row!.id > id + 1, 'an ID that was only tried is not given again either')
    })
  },
)

t.test('what one job of a group gets wrong is not told, and references hold for the others', async (t) => {
  const [one, two] = [await nodes.start(t), await nodes.start(t)]
  await two.db.write(async (tx) => tx.insert(settings).values(note('before')))
  const results = await Promise.allSettled([
    one.db.write(async (tx) => tx.insert(settings).values(note('kept'))),
    one.db.write(async (tx) => {
      await tx.insert(settings).values(note('undone'))
      throw new Error('changed its mind')
    }),
    one.db.write(async (tx) =>
      tx.insert(application_passwords).values({ user_id: 99, name: '', hash: '', created_utc: '' }),
    ),
  ])
  t.strictSame(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected'],
  )
  await two.db.fresh!()
  t.strictSame((await two.db.read.select().from(settings)).map(({ name }) => name).sort(), ['before', 'kept'])
})

t.test('cascades, swapped unique values and reused ones arrive as they were written', async (t) => {
  const [one, two] = [await nodes.start(t), await nodes.start(t)]
  const term = (name: string) => {
    return { taxonomy: 'tag' as const, name, folded_name: name, slug: name, language: 'en' }
  }
  const [a, b] = await one.db.write(async (tx) =>
    tx
      .insert(terms)
      .values([term('a'), term('b')])
      .returning(),
  )
  const [owner] = await one.db.write(async (tx) => tx.insert(users).values(user('owner')).returning())
  await one.db.write(async (tx) =>
    tx.insert(application_passwords).values({ user_id: owner!.id, name: '', hash: 'h', created_utc: '' }),
  )
  await two.db.fresh!()
  await one.db.write(async (tx) => {
    await tx.update(terms).set({ slug: 'for a moment' }).where(eq(terms.id, a!.id))
    await tx.update(terms).set({ slug: 'a' }).where(eq(terms.id, b!.id))
    await tx.update(terms).set({ slug: 'b' }).where(eq(terms.id, a!.id))
    await tx.delete(users).where(eq(users.id, owner!.id))
    await tx.insert(users).values(user('owner'))
    await tx.run(sql`update users set id = 50 where login = 'owner'`)
  })
  await two.db.fresh!()
  const there = await truthThere(postgres)
  t.strictSame(truthOf(two.db), there)
  t.strictSame(there.application_passwords, [])
  t.strictSame(
    there.users!.map((row) => JSON.parse(row).id),
    [50],
  )
})

t.test('any text and number is the same on every side', async (t) => {
  const [one, two] = [await nodes.start(t), await nodes.start(t)]
  const texts = [
    `quotes ' " \` and \\ back\\slashes \\' \\u0041 $1 $$ %s`,
    'lines\n\r\n\t\u0001\u001f\u007f\u0085\u2028',
    'écoles 東京 🎭 👩‍👩‍👧 \u202e\ufeff\uffff',
    'half of a pair \ud83c',
    '',
  ]
  await one.db.write(async (tx) => {
    await tx.insert(settings).values(texts.map((value, at) => note(`${at} ${value}`, value)))
    await tx.insert(users).values({ login: "o'neill\\", role: 'editor', created_utc: '' })
    const author_id = 1
    for (const [id, lat] of [41.38506312345679, 4, -0, 1e308, 5e-324, -179.99999999999997].entries()) {
      tx.run(sql`insert into posts (id, kind, status, title, slug, author_id, language, date, date_utc, modified, modified_utc, folded, folded_title)
        values (${id + 1}, 'venue', 'draft', 'x', 'x', ${author_id}, 'en', '', '', '', '', '', '')`)
      tx.run(sql`insert into venues (post_id, geo_lat, geo_lng) values (${id + 1}, ${lat}, null)`)
    }
    tx.run(sql`insert into site values (1, 'UTC', '["en"]', 'EUR', 0)`)
  })
  t.equal(await two.db.fresh!(), 0)
  const there = await truthThere(postgres)
  t.strictSame(truthOf(two.db), there)
  t.strictSame(truthOf(one.db), there)
  const [venue] = two.db.rows<[number, string]>(
    'select geo_lat, typeof(geo_lat) from venues where post_id = 1',
  )
  t.strictSame(venue, [41.38506312345679, 'real'])
  t.equal(two.db.rows('select 1 from documents').length, 6, 'what venues show was derived')
})

t.test('a group of thousands of rows is one group', async (t) => {
  const [one, two] = [await nodes.start(t), await nodes.start(t)]
  await one.db.write(async (tx) => {
    tx.run(sql`insert into users (login, role, created_utc) values ('u', 'editor', '')`)
    tx.run(
      sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000) insert into settings select 'name ' || i, 'value ' || i from n`,
    )
  })
  t.equal(await two.db.fresh!(), 0)
  t.equal(two.db.replica!.status().seq, 1)
  t.equal(two.db.rows<[number]>('select count(*) from settings')[0]![0], 5_000)
})

t.test('a notification wakes another node; where there are none it asks every second', async (t) => {
  const follows = async (listens: boolean, timing = CALM) => {
    postgres.tap((text) => (!listens && /^listen/.test(text) ? { error: '0A000' } : undefined))
    const node = await nodes.start(t, { timing })
    await node.db.fresh!()
    const writer = await nodes.start(t)
    const before = node.db.replica!.status().seq
    await writer.db.write(async (tx) => tx.insert(settings).values(note(`for ${listens}`)))
    await until(() => node.db.replica!.status().seq !== before)
    t.equal(node.db.replica!.status().seq, before + 1)
  }
  await follows(true)
  await follows(false, { ...CALM, every: 5 })
})

t.test('readers that ask at the same time share a question that was asked after them', async (t) => {
  const node = await nodes.start(t, { follows: false })
  let questions = 0
  postgres.tap((text) => {
    if (/^select seq, commit_id, origin/.test(text)) questions++
    return undefined
  })
  await Promise.all(Array.from({ length: 10 }, () => node.db.fresh!()))
  t.equal(questions, 1)
  const first = node.db.fresh!()
  await Promise.resolve()
  await Promise.all([first, ...Array.from({ length: 10 }, () => node.db.fresh!())])
  t.ok(questions <= 3)
})

t.test('a node is known while it runs, one leads, and old groups are removed, never the last', async (t) => {
  const busy = { ...CALM, every: 5, heartbeat: 0, pruning: 0 }
  const one = await nodes.start(t, { follows: false })
  for (const name of ['a', 'b', 'c']) await one.db.write(async (tx) => tx.insert(settings).values(note(name)))
  await postgres.ask("update almanac.log set at = now() - interval '8 days'")
  const pruner = await nodes.start(t, { timing: busy })
  const logged = async () => postgres.ask('select seq from almanac.log')
  await until(async () => (await logged()).length <= 1)
  t.strictSame(await logged(), [{ seq: 3 }])
  t.ok(pruner.db.leads())
  t.ok(pruner.db.replica!.status().leads)
  const rows = await postgres.ask('select address, seq from almanac.nodes where seq = 3')
  t.strictSame(rows, [{ address: 'http://node.test', seq: 3 }])
  const other = await nodes.start(t, { timing: busy })
  await other.db.fresh!()
  await until(async () => (await postgres.ask('select id from almanac.nodes')).length >= 2)
  t.notOk(other.db.leads(), 'another one leads')
})

t.test('a node notices that it leads anew, after a time in which another one may have led', async (t) => {
  const node = await nodes.start(t, { timing: { ...CALM, every: 5, heartbeat: 0 } })
  const leads = (is: boolean) => until(() => node.db.leads() === is)
  await leads(true)
  t.equal(node.db.term(), 1)
  const rounds = async () =>
    (await postgres.ask<{ until: string }>('select until from almanac.leases'))[0]!.until
  const before = await rounds()
  await until(async () => String(await rounds()) !== String(before))
  t.equal(node.db.term(), 1, 'it led all the time')
  await postgres.ask('update almanac.leases set node = gen_random_uuid()')
  await leads(false)
  await postgres.ask('delete from almanac.leases')
  await leads(true)
  t.equal(node.db.term(), 2)
})

t.test('two processes on one copy write and follow as one', async (t) => {
  const one = await nodes.start(t)
  const other = await nodes.start(t, { file: one.file, isPrepared: true, follows: false })
  await one.db.write(async (tx) => tx.insert(settings).values(note('first')))
  await other.db.write(async (tx) => tx.insert(settings).values(note('second')))
  const elsewhere = await nodes.start(t)
  await elsewhere.db.write(async (tx) => tx.insert(settings).values(note('third')))
  t.strictSame(await Promise.all([one.db.fresh!(), other.db.fresh!()]), [0, 0])
  await one.db.write(async (tx) => tx.insert(settings).values(note('fourth')))
  t.strictSame(truthOf(one.db), await truthThere(postgres))
  t.strictSame(truthOf(other.db), await truthThere(postgres))
})

t.test('a session runs one thing after the other, and its time begins with its turn', async (t) => {
  const session = await connect(postgres.url)
  t.teardown(session.cut)
  let release = () => {}
  const waits = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined)
  })
  postgres.tap((text) => (text === 'select 1 as one' ? waits : undefined))
  const first = session.ask('select 1 as one', 60_000)
  const second = session.ask('select 2 as two', 60_000)
  release()
  t.strictSame(await Promise.all([first, second]), [[{ one: 1 }], [{ two: 2 }]])
  await t.rejects(session.run('select nothing'), { code: '42703' }, 'an error leaves it usable')
  t.strictSame(await session.ask('select 3::bigint as three'), [{ three: 3 }])
})
