import { type ComponentChildren, Fragment } from 'preact'
import { list, listAll } from '../../api/client.ts'
import { SITE } from '../../api/site.ts'
import { type Loaded, useLoaded } from '../../api/use.ts'
import { Pager, Search } from '../../parts/listing.tsx'
import { Failed } from '../../parts/notice.tsx'
import { may } from '../../parts/shell.tsx'
import { hashOf, type Place } from '../../rules/places.ts'
import { PLURAL, type Placed, type TermKind, type TermRecord, treeOf } from '../../rules/term.ts'
import { fill, languageName, number, w } from '../../words/words.ts'
import { SPEAKS_SEVERAL } from '../events/query.ts'
import { Panel } from './panel.tsx'

/** How deep a list is indented. */
const DEEPEST = 6

const mayChange = (kind: TermKind) =>
  may(kind === 'tag' ? 'create, change and delete tags' : 'create, change and delete categories')

/** One category or tag in a list: its name, how many published events have it, and what can be added below it. */
function Row({ kind, term, place }: { kind: TermKind; term: Placed<TermRecord>; place: Place }) {
  const plural = PLURAL[kind]
  const { search, page } = place.query
  const allowed = mayChange(kind)
  const isHere = place.path[1] === String(term.id)
  return (
    <li class={`term depth-${Math.min(term.depth, DEEPEST)}`}>
      {allowed ? (
        <a
          href={hashOf([plural, term.id], { search, page })}
          lang={term.language}
          dir="auto"
          aria-current={isHere ? 'true' : undefined}
        >
          {term.name}
        </a>
      ) : (
        <span lang={term.language} dir="auto">
          {term.name}
        </span>
      )}
      {SPEAKS_SEVERAL && kind === 'tag' && <span class="hint">{languageName(term.language)}</span>}
      <span class="hint">{fill(w.so_many_published, { count: number(term.count) })}</span>
      {allowed && kind === 'category' && (
        <a
          class="button quiet icon"
          href={hashOf([plural, 'new'], { parent: term.id, language: term.language })}
          aria-label={fill(w.new_below_one, { name: term.name })}
        >
          +
        </a>
      )}
    </li>
  )
}

type Page = { rows: Placed<TermRecord>[]; total: number; pages: number }

/** All categories as a tree, or a page of tags. */
async function load(kind: TermKind, { search, page = '1' }: Place['query']): Promise<Page> {
  if (kind === 'category') {
    const all = await listAll<TermRecord>('/categories', 'categories', { hide_empty: false })
    // a category below one of another language stands at the top of its own
    const rows = [...new Set(all.map(({ language }) => language))].flatMap((code) =>
      treeOf(all.filter(({ language }) => language === code).map((term) => ({ parent: 0, ...term }))),
    )
    return { rows, total: rows.length, pages: 1 }
  }
  const { rows, ...counts } = await list<TermRecord>('/tags', 'tags', {
    ...{ search, page, per_page: 30, hide_empty: false },
  })
  return { ...counts, rows: rows.map((term) => ({ ...term, depth: 0 })) }
}

/** A tree for each language, with its name; all in one list if there is only one. */
function groupsOf(kind: TermKind, rows: Placed<TermRecord>[]): [title: string, rows: Placed<TermRecord>[]][] {
  const languages = new Set([...SITE.languages, ...rows.map(({ language }) => language)])
  if (kind === 'tag' || !SPEAKS_SEVERAL) return [['', rows]]
  return [...languages].map((code): [string, Placed<TermRecord>[]] => [
    languageName(code),
    rows.filter(({ language }) => language === code),
  ])
}

const Found = ({
  children,
  value,
  failure,
  again,
  loading,
}: Loaded<Page> & { children: ComponentChildren }) => (
  <div class={loading ? 'loading' : ''} aria-busy={loading}>
    {failure && <Failed failure={failure} again={again} />}
    {value?.rows.length === 0 && (
      <div class="empty">
        <p>{w.nothing_yet}</p>
      </div>
    )}
    {children}
  </div>
)

/** Categories as a tree, or tags, with the form of one of them beside. */
export function TermsPage({ kind, place }: { kind: TermKind; place: Place }) {
  const plural = PLURAL[kind]
  const { search, page } = place.query
  const found = useLoaded(`${plural} ${kind === 'tag' ? `${search} ${page}` : ''}`, () =>
    load(kind, place.query),
  )
  const { value } = found
  const open = place.path[1] !== undefined && mayChange(kind)
  const home = { path: [plural], query: place.query }
  return (
    <>
      <div class="head">
        <h1>
          {w[plural]} {value && <span class="count">{number(value.total)}</span>}
        </h1>
        {mayChange(kind) && (
          <a class="button" href={hashOf([plural, 'new'])}>
            {w[`new_${kind}`]}
          </a>
        )}
      </div>
      <div class={open ? 'split open' : 'split'}>
        <div class="list">
          {kind === 'tag' && <Search place={home} />}
          <Found {...found}>
            {groupsOf(kind, value?.rows ?? []).map(([title, rows]) => (
              <Fragment key={title}>
                {title && <h2 class="terms-of">{title}</h2>}
                <ul class="terms" aria-label={title || w[plural]}>
                  {rows.map((term) => (
                    <Row key={term.id} kind={kind} term={term} place={place} />
                  ))}
                </ul>
              </Fragment>
            ))}
            {value && <Pager place={home} pages={value.pages} total={value.total} />}
          </Found>
        </div>
        {open && (
          <section class="panel" aria-label={w[kind]}>
            <Panel
              key={`${place.path[1]} ${place.query.parent}`}
              kind={kind}
              place={place}
              changed={found.again}
            />
          </section>
        )}
      </div>
    </>
  )
}
